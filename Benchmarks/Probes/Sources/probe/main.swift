// Runs pieces of work, for `Benchmarks/gate`.
//
//     probe                  prints how many allocations each piece makes
//     probe --list           prints their names
//     probe --instructions   runs each, and marks for callgrind where its counted times begin and end
//     probe NAME TIMES       runs one piece so many times, and nothing else

import CAllocations

/// The fewest of a few runs, since a thread of the platform may allocate for itself meanwhile.
func allocations(of work: Work) -> Int {
  let run = work.prepare()
  // The first run may fill caches and grow buffers that are then kept.
  run(work.times)
  let counts = (0..<5).map { _ in
    let before = allocations_made()
    run(work.times)
    return allocations_made() - before
  }
  return counts.min() ?? 0
}

switch CommandLine.arguments.dropFirst().first {
case nil:
  precondition(allocations_are_counted(), "allocations cannot be counted on this platform")
  for work in allWork {
    print(work.name, allocations(of: work), work.times)
  }
case "--list":
  for work in allWork { print(work.name, work.times, work.isExact ? "exact" : "about", work.unit) }
case "--instructions":
  for work in allWork {
    let run = work.prepare()
    // It fills caches and grows buffers that are then kept.
    run(work.times / 2)
    instructions_mark()
    run(work.times)
    instructions_mark()
  }
case let name?:
  guard
    CommandLine.arguments.count == 3, let times = Int(CommandLine.arguments[2]),
    let work = allWork.first(where: { $0.name == name })
  else {
    fatalError("usage: probe [--list | --instructions | NAME TIMES]")
  }
  work.prepare()(times)
}
