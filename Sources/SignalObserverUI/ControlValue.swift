#if canImport(UIKit) && !os(watchOS)
  import SignalObserver
  import UIKit
#elseif canImport(AppKit) && !targetEnvironment(macCatalyst)
  import AppKit
  import SignalObserver
#endif

#if canImport(UIKit) && !os(watchOS) || canImport(AppKit) && !targetEnvironment(macCatalyst)
  extension EmitterValue where Value: Sendable & Equatable {
    /// Makes a value that `property` of `control` follows.
    @MainActor static func shown<Control: NSObject>(
      by property: ReferenceWritableKeyPath<Control, Value>, of control: Control
    ) -> EmitterValue {
      let value = EmitterValue(control[keyPath: property])
      // Weak: the value holds the slot, and would otherwise hold itself.
      value.signal.connect(control) { @MainActor [weak signal = value.signal] control, sent in
        // The newest, not the one that was sent: a control that the user has changed since does not
        // jump back to an older value.
        let newest = signal?.value ?? sent
        if control[keyPath: property] != newest { control[keyPath: property] = newest }
      }
      return value
    }
  }
#endif
