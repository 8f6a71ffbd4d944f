// Controls of AppKit.

#if canImport(AppKit) && !targetEnvironment(macCatalyst)
  import AppKit
  import SignalObserver
  import SignalObserverUI

  @MainActor final class Mixer {
    let level = EmitterValue(0.5)

    func reset() { level.value = 0 }
  }

  @MainActor func follow(_ mixer: Mixer, _ button: NSButton, _ slider: NSSlider) {
    // snippet.controls
    button.tapped.connect(mixer, Mixer.reset)
    mixer.level.bond(givingTo: slider.emitterValue)
    // snippet.end
  }
#endif
