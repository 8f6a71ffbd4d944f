#if canImport(UIKit) && !os(watchOS)
  import UIKit
#elseif canImport(AppKit) && !targetEnvironment(macCatalyst)
  import AppKit
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

    /// Returns those of `object`, which it owns from now on.
    static func of(_ object: NSObject) -> Attachments {
      // The address of the class is no other association's key. It is never read through.
      let key = unsafe UnsafeRawPointer(bitPattern: UInt(bitPattern: ObjectIdentifier(self)))
        .unsafelyUnwrapped
      if let attachments = unsafe objc_getAssociatedObject(object, key) as? Attachments {
        return attachments
      }
      let attachments = Attachments()
      unsafe objc_setAssociatedObject(object, key, attachments, .OBJC_ASSOCIATION_RETAIN_NONATOMIC)
      return attachments
    }

    /// Returns the content of `key`, which `make` makes the first time.
    func content<Content>(of key: some Hashable, _ make: () -> Content) -> Content {
      if let content = contents[key] as? Content { return content }
      let content = make()
      contents[key] = content
      return content
    }
  }
#endif
