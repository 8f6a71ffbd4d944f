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
#endif
