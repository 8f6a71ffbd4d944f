// Controls that send, values that controls follow, and views that receive.

#if canImport(UIKit) && !os(watchOS)
  import SignalObserver
  import SignalObserverUI
  import UIKit

  // snippet.model
  /// Knows nothing of screens.
  final class Document: Sendable {
    let title = EmitterValue("Untitled")
    let saved = EmitterVoid()

    func save() { saved.invoke() }
  }
  // snippet.end

  // snippet.controller
  final class EditorController: UIViewController {
    private let document = Document()
    private let titleField = UITextField()
    private let heading = UILabel()
    private let saveButton = UIButton()
    private let hint = UILabel()

    override func viewDidLoad() {
      super.viewDidLoad()
      document.title.bond(givingTo: titleField.emitterValue)  // both directions
      document.title.signal.bind(to: \.text, on: heading)  // a view as a sink
      // The method is private, and needs no @objc.
      saveButton.tapped.connect(self, EditorController.save)
      document.saved.signal.connect(hint) { hint in hint.text = "Saved" }
    }

    private func save() { document.save() }
  }
  // snippet.end

  @MainActor final class Player {
    func seek() {}
    func show(_ page: Int) { print(page) }
  }

  @MainActor func follow(
    _ slider: UISlider, _ pageControl: UIPageControl, _ player: Player, _ level: UILabel
  ) {
    // snippet.events
    slider.signal(for: [.touchUpInside, .touchUpOutside])
      .connect(player, Player.seek)
    slider.emitterValue.signal.map { "\(Int($0 * 100)) %" }
      .bind(to: \.text, on: level)
    // snippet.end
    // snippet.property
    EmitterValue(of: \.currentPage, on: pageControl).signal
      .connect(player, Player.show)
    // snippet.end
  }

  // snippet.item
  @MainActor final class Toolbar {
    @EmitterVoid var saveChosen
    private(set) lazy var saveItem = UIBarButtonItem(
      primaryAction: UIAction(title: "Save") { [_saveChosen] _ in
        _saveChosen.invoke()
      })
  }
  // snippet.end

  // snippet.track
  final class ScoreController: UIViewController {
    private let score = EmitterValue(0)
    private let label = UILabel()
    private let medal = UIView()

    override func viewDidLoad() {
      super.viewDidLoad()
      track(self, ScoreController.renderScore, ScoreController.renderMedal)
    }

    private func renderScore() { label.text = "\(score.value) points" }
    private func renderMedal() { medal.isHidden = score.value < 10 }
  }
// snippet.end
#endif
