// Controls of AppKit.

#if canImport(AppKit) && !targetEnvironment(macCatalyst)
  import AppKit
  import SignalObserver
  import SignalObserverUI

  @MainActor final class Mixer {
    let level = EmitterValue(0.5)

    func reset() {
      level.value = 0.5
    }
  }

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
