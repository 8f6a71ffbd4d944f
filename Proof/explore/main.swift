// The schedule explorer: see `Proof/README.md`.

#if SO_EXPLORE
  import Explored
  import Foundation
  import SignalObserver

  let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
  let bound = arguments.first ?? 2
  /// The highest number of schedules of a scenario.
  ///
  /// Without one, all schedules are run.
  let limit = arguments.dropFirst().first
  /// The number of loads in a schedule that may return an older store.
  let staleBound = arguments.dropFirst(2).first ?? 1
  /// Whether to stop at the first failure.
  let stopsAtFirst = CommandLine.arguments.contains("--first")
  /// The other arguments select the scenarios whose names contain one of them.
  let names = CommandLine.arguments.dropFirst().filter { Int($0) == nil && !$0.hasPrefix("--") }
  /// `--odd` and `--even` select every other one of these.
  ///
  /// Two processes with one each take half the time.
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
      failure = explorer.run(scenario)
      if failure == nil { explorer.advance() }
    }
    return (explorer, failure)
  }

  if CommandLine.arguments.contains("--weaken") { exit(weakenOrderings(chosen) ? 0 : 1) }

  var (schedules, exhausted, failures) = (0, 0, 0)
  let start = Date()
  for scenario in chosen where !(stopsAtFirst && failures > 0) {
    let (explorer, found) = explore(scenario, limit: limit ?? .max)
    var failure = found
    let isExhausted = explorer.isExhausted
    let missed = scenario.reaches.subtracting(explorer.reached).sorted()
    if isExhausted, !missed.isEmpty {
      failure = "no schedule has reached: \(missed.joined(separator: "; "))"
    }
    schedules += explorer.schedules
    if isExhausted { exhausted += 1 }
    let extent = isExhausted ? "all" : "some"
    print(
      "\(scenario.name): \(extent) \(explorer.schedules) schedules, \(explorer.points) points")
    if let failure {
      failures += 1
      print("  FAILED, \(failure)\n  schedule \(explorer.description)")
    }
    fflush(nil)
  }
  let seconds = String(format: "%.1f", -start.timeIntervalSinceNow)
  print(
    "explore: \(chosen.count) scenarios, bound \(bound), \(schedules) schedules, "
      + "\(exhausted) exhausted, \(failures) failures, \(seconds) s")
  fflush(nil)
  exit(failures == 0 && !chosen.isEmpty ? 0 : 1)
#else
  import Foundation

  print("explore: build with -Xswiftc -DSO_EXPLORE, see Proof/README.md")
  exit(2)
#endif
