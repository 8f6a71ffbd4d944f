#if SO_EXPLORE
  import Explored
  import Foundation

  /// What one ordering of the sources does: it acquires, or it releases.
  struct Half: Hashable, CustomStringConvertible {
    let file: String
    let line: UInt
    let acquires: Bool

    var description: String {
      "\(file.split(separator: "/").last ?? ""):\(line) \(acquires ? "acquires" : "releases")"
    }

    /// Whether a comment that begins with "ordering:" stands above the line, which says why no
    /// scenario can need it.
    var isArgued: Bool {
      let text = try? String(contentsOfFile: file, encoding: .utf8)
      let lines = text?.split(separator: "\n", omittingEmptySubsequences: false) ?? []
      let above = lines.prefix(Int(line) - 1).reversed().prefix { $0.contains("//") }
      return above.contains { $0.contains("// ordering:") }
    }
  }

  /// Leaves out each half of each ordering, one at a time, and expects some scenario to fail.
  ///
  /// Returns whether all are needed, or argued.
  func weakenOrderings(_ scenarios: [Scenario]) -> Bool {
    var users: [Half: [Scenario]] = [:]
    for scenario in scenarios {
      // The first schedules come by the same lines as the others.
      let (explorer, failure) = explore(scenario, limit: 100)
      if let failure { print("\(scenario.name) fails by itself: \(failure)") }
      for half in explorer.halves { users[half, default: []].append(scenario) }
    }
    var unneeded = 0
    for (half, users) in users.sorted(by: { $0.key.description < $1.key.description }) {
      let isNeeded = users.first { explore($0, weakened: half).failure != nil }
      if let isNeeded {
        print("\(half): needed by \(isNeeded.name)")
      } else if half.isArgued {
        print("\(half): argued in place; \(users.count) scenarios do not need it")
      } else {
        unneeded += 1
        print("\(half): NOT NEEDED by \(users.count) scenarios, and not argued")
      }
      fflush(nil)
    }
    print("orderings: \(users.count) halves, \(unneeded) neither needed nor argued")
    return unneeded == 0 && !users.isEmpty
  }
#endif
