#if canImport(UIKit) && !os(watchOS)
  import Foundation
  import SignalObserver
  import UIKit
#elseif canImport(AppKit) && !targetEnvironment(macCatalyst)
  import AppKit
  import Foundation
  import SignalObserver
#endif

#if canImport(UIKit) && !os(watchOS) || canImport(AppKit) && !targetEnvironment(macCatalyst)
  extension EmitterValue where Value: Sendable & Equatable {
    /// Makes a value that `property` of `control` follows.
    @MainActor static func shown<Control: NSObject>(
      by property: ReferenceWritableKeyPath<Control, Value>, of control: Control
    ) -> EmitterValue {
      let value = EmitterValue(control[keyPath: property])
      // Weak, because the value holds the slot. With a strong reference it would hold itself.
      value.signal.connect(control) { @MainActor [weak signal = value.signal] control, sent in
        // The newest value, and not the one that was sent. If the user has changed the control
        // since, it does not jump back to an older value.
        let newest = signal?.value ?? sent
        if control[keyPath: property] != newest { control[keyPath: property] = newest }
      }
      return value
    }

    /// Makes a value that `property` of `view` follows, and that follows it when `changes` sends.
    ///
    /// `kind` tells values of one property apart that follow different changes.
    @MainActor static func shown<View: NSObject, Changes: SignalSource>(
      by property: ReferenceWritableKeyPath<View, Value>, of view: View, on kind: String,
      changedBy changes: @autoclosure () -> Changes
    ) -> EmitterValue where Changes.Payload == Void {
      let attachments = Attachments.of(view)
      let key: [AnyHashable] = [property, kind]
      return attachments.content(of: key) {
        let value = shown(by: property, of: view)
        changes().connect(view) { @MainActor view, _ in value.set(view[keyPath: property]) }
          .store(in: attachments.connections)
        return value
      }
    }
  }
#endif
