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
  /// An object that has one target and one action.
  @MainActor protocol ActionSender: NSObject {
    var target: AnyObject? { get set }
    var action: Selector? { get set }
  }

  /// The target of an object that sends actions.
  @MainActor final class ActionReceiver: NSObject {
    static let selector = Selector(("receive:"))

    /// Says, in a debug build, that something does not do what it seems to.
    static var report: (String) -> Void = { print("SignalObserverUI: \($0)") }

    let emitter = EmitterVoid()

    /// Returns the signal of `sender`, whose target and action it takes.
    static func signal(of sender: some ActionSender) -> SignalVoid {
      let receiver = Attachments.of(sender).content(of: "action") { ActionReceiver() }
      if sender.target !== receiver {
        #if DEBUG
          if let action = sender.action {
            report("a signal takes the place of the action \(action) of \(sender): connect to it")
          }
        #endif
        // The sender holds its target weakly. The attachments hold it strongly.
        sender.target = receiver
        sender.action = selector
      }
      return receiver.emitter.signal
    }

    #if canImport(ObjectiveC)
      @objc(receive:)
    #endif
    func receive(_ sender: Any?) { emitter.invoke() }
  }
#endif
