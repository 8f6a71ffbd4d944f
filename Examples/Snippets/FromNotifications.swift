// A library and its sidebar, first with NotificationCenter, then with a signal.

import Foundation
import SignalObserver
import SignalObserverUI

enum Before {
  // snippet.before
  final class Library {
    static let didAdd = Notification.Name("LibraryDidAdd")

    func add(_ title: String) {
      NotificationCenter.default.post(
        name: Self.didAdd, object: self, userInfo: ["title": title])
    }
  }

  /// Removes an observer when it dies.
  ///
  /// `@unchecked Sendable`: only `init` and `deinit` use the token.
  final class Registration: @unchecked Sendable {
    private let token: any NSObjectProtocol

    init(_ token: any NSObjectProtocol) { self.token = token }

    deinit { NotificationCenter.default.removeObserver(token) }
  }

  @MainActor final class Sidebar {
    private(set) var titles: [String] = []
    private var registration: Registration?

    init(_ library: Library) {
      let token = NotificationCenter.default.addObserver(
        forName: Library.didAdd, object: library, queue: .main
      ) { [weak self] notification in
        let title = notification.userInfo?["title"] as? String
        MainActor.assumeIsolated { self?.show(title ?? "") }
      }
      registration = Registration(token)
    }

    private func show(_ title: String) { titles.append(title) }
  }
  // snippet.end
}

enum After {
  // snippet.after
  final class Library {
    @EmitterArg<String> var added

    func add(_ title: String) { _added.invoke(title) }
  }

  @MainActor final class Sidebar {
    private(set) var titles: [String] = []

    init(_ library: Library) { library.added.connect(self, Sidebar.show) }

    func show(_ title: String) { titles.append(title) }
  }
  // snippet.end
}

// snippet.any-sender
enum Libraries {
  fileprivate static let adding = EmitterArg2<ObjectIdentifier, String>()
  /// Sends the identity of a library, and the title that it adds.
  static var added: SignalArg2<ObjectIdentifier, String> { adding.signal }
}
// snippet.end

// snippet.bridge
@MainActor final class Clock {
  private(set) var format = Locale.current.identifier

  init(_ center: NotificationCenter = .default) {
    center.source(for: NSLocale.currentLocaleDidChangeNotification)
      .connect(self, Clock.updateFormat)
  }

  private func updateFormat() { format = Locale.current.identifier }
}
// snippet.end

// snippet.payload
@MainActor func follow(_ library: Before.Library, _ sidebar: After.Sidebar) {
  NotificationCenter.default
    .source(for: Before.Library.didAdd, object: library) {
      $0.userInfo?["title"] as? String
    }
    .connect(sidebar, After.Sidebar.show)
}
// snippet.end

extension Before {
  static func printTitles(_ center: NotificationCenter) {
    // snippet.transform
    center.source(for: Library.didAdd) { $0.userInfo?["title"] as? String }
      .connect { title in print(title) }
    // snippet.end
  }
}

let before = Before.Library()
let oldSidebar = Before.Sidebar(before)
before.add("Dune")

let after = After.Library()
let newSidebar = After.Sidebar(after)
after.add("Dune")
precondition(oldSidebar.titles == newSidebar.titles)

Libraries.added.connect(on: .inline) { _, title in print(title) }
Libraries.adding.invoke(ObjectIdentifier(after), "Solaris")

follow(before, newSidebar)
Before.printTitles(.default)
before.add("Ubik")
precondition(newSidebar.titles.last == "Ubik")

let clock = Clock()
NotificationCenter.default.post(
  name: NSLocale.currentLocaleDidChangeNotification, object: nil)
print(clock.format)
