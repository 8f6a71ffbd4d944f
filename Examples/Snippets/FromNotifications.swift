// A library and its sidebar, and notifications of a framework.

import Foundation
import SignalObserver
import SignalObserverUI

/// Posts a notification, as the classes of a framework do.
enum Framework {
  final class Library {
    static let didAdd = Notification.Name("LibraryDidAdd")

    func add(_ title: String) {
      NotificationCenter.default.post(
        name: Self.didAdd, object: self, userInfo: ["title": title])
    }
  }
}

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
@MainActor func follow(_ library: Framework.Library, _ sidebar: Sidebar) {
  NotificationCenter.default
    .source(for: Framework.Library.didAdd, object: library) {
      $0.userInfo?["title"] as? String
    }
    .connect(sidebar, Sidebar.show)
}
// snippet.end

extension Framework {
  static func printTitles(_ center: NotificationCenter) {
    // snippet.transform
    center.source(for: Library.didAdd) { $0.userInfo?["title"] as? String }
      .connect { title in print(title) }
    // snippet.end
  }
}

let library = Library()
let sidebar = Sidebar(library)
library.add("Dune")
precondition(sidebar.titles == ["Dune"])

Libraries.added.connect(on: .inline) { _, title in print(title) }
Libraries.adding.invoke(ObjectIdentifier(library), "Solaris")

let framework = Framework.Library()
follow(framework, sidebar)
Framework.printTitles(.default)
framework.add("Ubik")
precondition(sidebar.titles == ["Dune", "Ubik"])

let clock = Clock()
NotificationCenter.default.post(
  name: NSLocale.currentLocaleDidChangeNotification, object: nil)
print(clock.format)
