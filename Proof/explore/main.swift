// The schedule explorer: see `Proof/README.md`.

#if SO_EXPLORE
  import Foundation
  import SignalObserver

  let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
  let bound = arguments.first ?? 2
  /// How many schedules of a scenario are enough; all of them are run if none is given.
  let limit = arguments.dropFirst().first
  /// How many loads of a schedule may return an older store.
  let staleBound = arguments.dropFirst(2).first ?? 1
  /// Whether one failure is enough.
  let stopsAtFirst = CommandLine.arguments.contains("--first")
  /// Only the scenarios whose names contain one of the other arguments.
  let names = CommandLine.arguments.dropFirst().filter { Int($0) == nil && !$0.hasPrefix("--") }
  /// Of these, every other one: `--odd` and `--even` in two processes take half the time.
  let halves = ["--odd": 1, "--even": 0].filter { CommandLine.arguments.contains($0.key) }.values
  let chosen = scenarios.filter { scenario in
    names.isEmpty || names.contains { scenario.name.contains($0) }
  }.enumerated().filter { halves.isEmpty || halves.contains($0.offset % 2) }.map(\.element)

  var (schedules, exhausted, failures) = (0, 0, 0)
  let start = Date()
  for scenario in chosen where !(stopsAtFirst && failures > 0) {
    let explorer = Explorer(bound: bound, staleBound: staleBound)
    unsafe Schedule.scheduler = explorer
    var failure: String?
    var isExhausted = false
    while failure == nil, !isExhausted, explorer.schedules < limit ?? .max {
      failure = explorer.run(scenario)
      isExhausted = failure == nil && !explorer.advance()
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
