// The schedule explorer: see `Proof/README.md`.

#if SO_EXPLORE
  import Explored
  import Foundation
  import SignalObserver

  let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
  let bound = arguments.first ?? 2
  /// The highest number of schedules of a scenario; without one, all are run.
  let limit = arguments.dropFirst().first
  /// The number of loads in a schedule that may return an older store.
  let staleBound = arguments.dropFirst(2).first ?? 1
  /// The other arguments select the scenarios whose names contain one of them.
  let names = CommandLine.arguments.dropFirst().filter { Int($0) == nil && !$0.hasPrefix("--") }
  /// `--odd` and `--even` select every other one of these, so that two processes share them.
  let halves = ["--odd": 1, "--even": 0].filter { CommandLine.arguments.contains($0.key) }.values
  let chosen = scenarios.filter { scenario in
    names.isEmpty || names.contains { scenario.name.contains($0) }
  }.enumerated().filter { halves.isEmpty || halves.contains($0.offset % 2) }.map(\.element)

  /// Runs the schedules of a scenario, until one fails.
  func explore(
    _ scenario: Scenario, limit: Int = .max, weakened: Half? = nil
  ) -> (explorer: Explorer, failure: String?) {
    let explorer = Explorer(bound: bound, staleBound: staleBound, weakened: weakened)
    unsafe Schedule.scheduler = explorer
    var failure: String?
    while failure == nil, !explorer.isExhausted, explorer.schedules < limit {
      let world = World(explorer)
      failure = explorer.run(scenario.parts(world), mainThread: scenario.main) ?? world.finish()
      if failure == nil { explorer.advance() }
    }
    return (explorer, failure)
  }

  if CommandLine.arguments.contains("--weaken") { exit(weakenOrderings(chosen) ? 0 : 1) }

  var (schedules, exhausted, failures) = (0, 0, 0)
  for scenario in chosen {
    let (explorer, found) = explore(scenario, limit: limit ?? .max)
    var failure = found
    let missed = explorer.reached.filter { !$0.value }.keys.sorted()
    if explorer.isExhausted, !missed.isEmpty {
      failure = "no schedule has reached: \(missed.joined(separator: "; "))"
    }
    schedules += explorer.schedules
    exhausted += explorer.isExhausted ? 1 : 0
    let extent = explorer.isExhausted ? "all" : "some"
    print("\(scenario.name): \(extent) \(explorer.schedules) schedules")
    if let failure {
      failures += 1
      print("  FAILED, \(failure)\n  schedule \(explorer.description)")
    }
    fflush(nil)
  }
  print(
    "explore: \(chosen.count) scenarios, bound \(bound), \(schedules) schedules, "
      + "\(exhausted) exhausted, \(failures) failures")
  exit(failures == 0 && !chosen.isEmpty ? 0 : 1)
#else
  import Foundation

  print("explore: build with -Xswiftc -DSO_EXPLORE, see Proof/README.md")
  exit(2)
#endif
