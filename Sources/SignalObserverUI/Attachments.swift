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
  /// The emitters of one control.
  ///
  /// Ownership:
  ///
  ///     control ──▶ Attachments ──▶ emitters
  ///        └──▶ actions ────────────▶ emitters
  ///
  /// Nothing points back, so the emitters end with the control.
  @MainActor final class Attachments {
    private var contents: [AnyHashable: Any] = [:]
    private var use = ObserverBag()
    /// Connections that end with the object, though their signals do not.
    let connections = ObserverBag()

    /// Returns the attachments of `object`, which owns them.
    static func of(_ object: NSObject) -> Attachments {
      // The address of this class: no other association has it as its key, nothing reads there, and
      // no object is at address zero.
      let key = unsafe UnsafeRawPointer(bitPattern: UInt(bitPattern: ObjectIdentifier(self)))
        .unsafelyUnwrapped
      if let attachments = unsafe objc_getAssociatedObject(object, key) as? Attachments {
        return attachments
      }
      let attachments = Attachments()
      unsafe objc_setAssociatedObject(object, key, attachments, .OBJC_ASSOCIATION_RETAIN_NONATOMIC)
      return attachments
    }

    /// Returns the content for `key`, which `make` makes at the first call.
    func content<Content>(of key: some Hashable, _ make: () -> Content) -> Content {
      if let content = contents[key] as? Content { return content }
      let content = make()
      contents[key] = content
      return content
    }

    /// Ends the connections of the use before, and returns a bag for those of the next one.
    ///
    /// A new bag: whoever still has the older one cannot add to this use.
    func beginUse() -> ObserverBag {
      use.cancelAll()
      use = ObserverBag()
      return use
    }
  }
#endif
