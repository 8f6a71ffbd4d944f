// A screen of AppKit.

#if canImport(AppKit) && !targetEnvironment(macCatalyst)
  import AppKit
  import SignalObserver
  import SignalObserverUI

  // snippet.screen
  @MainActor final class Mixer {
    let level = EmitterValue(0.5)
    let isMuted = EmitterValue(false)

    func reset() {
      level.value = 0.5
      isMuted.value = false
    }
  }

  final class MixerController: NSViewController {
    private let mixer = Mixer()
    private let slider = NSSlider()
    private let muteSwitch = NSSwitch()
    private let resetButton = NSButton()
    private let label = NSTextField()

    override func loadView() {
      resetButton.title = "Reset"
      view = NSStackView(views: [slider, label, muteSwitch, resetButton])
    }

    override func viewDidLoad() {
      super.viewDidLoad()
      mixer.level.bond(givingTo: slider.emitterValue)
      mixer.isMuted.bond(givingTo: muteSwitch.emitterValue)
      mixer.level.signal.map { "\(Int($0 * 100)) %" }
        .bind(to: \.stringValue, of: label)
      resetButton.tapped.connect(mixer, Mixer.reset)
    }
  }
  // snippet.end

  final class ChannelView: NSView {
    let field = NSTextField()
  }

  @MainActor func follow(
    _ button: NSButton, _ click: NSGestureRecognizer, _ levelIndicator: NSLevelIndicator,
    _ cell: ChannelView, _ mixer: Mixer
  ) -> EmitterValue<Int> {
    // snippet.actions
    button.actionSent.connect(mixer, Mixer.reset)
    click.actionSent.connect(mixer, Mixer.reset)
    // snippet.end
    // snippet.cell
    let use = cell.beginUse()
    mixer.level.signal.map { "\($0)" }.bind(to: \.stringValue, of: cell.field).store(in: use)
    // snippet.end
    // snippet.property
    let level = EmitterValue(\.integerValue, of: levelIndicator)
    // snippet.end
    return level
  }
#endif
