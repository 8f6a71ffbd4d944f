import Dispatch

/// The main queue, recognised from any thread.
///
/// `Thread.isMainThread` is false on the main queue under `async main` and `dispatchMain()` on
/// Linux, and `DispatchQueue.main` is a new object at each access there. A specific value is right.
package enum MainQueue {
  private static let key = DispatchSpecificKey<Bool>()

  static let queue = {
    let queue = DispatchQueue.main
    queue.setSpecific(key: key, value: true)
    return queue
  }()

  static let actor = ObjectIdentifier(MainActor.shared)

  /// Stops the program soon after the first call if the main actor runs on an executor of its own,
  /// and not on the main queue: its slots would run elsewhere.
  static func requireMainActor() { _ = check }

  private static let check: Void = {
    #if !SO_EXPLORE
      Task.detached { @MainActor in
        if isCurrent { return recordRun() }
        // This stops release builds, too.
        fatalError("the main actor has an executor of its own, and its slots run on the main queue")
      }
    #endif
  }()

  package static var isCurrent: Bool {
    _ = queue
    return DispatchQueue.getSpecific(key: key) != nil
  }
}
