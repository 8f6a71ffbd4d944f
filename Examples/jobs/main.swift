// A job queue, from its first signal to its test: the article "Start here" explains it, part by part.
//
//     swift run jobs

import SignalObserver
import SignalObserverTesting

// snippet.queue
/// Runs jobs, one after the other, and announces how far they are.
actor JobQueue {
  @EmitterArg2<String, Int> nonisolated var progressed
  @EmitterArg<String> nonisolated var finished

  func run(_ job: String, steps: Int) {
    for step in 1...steps { _progressed.invoke(job, 100 * step / steps) }
    _finished.invoke(job)
  }
}
// snippet.end

// snippet.list
@MainActor final class JobList {
  private(set) var lines: [String] = []

  func follow(_ queue: JobQueue) {
    queue.finished.connect(self, JobList.add)
  }

  private func add(_ job: String) { lines.append("\(job) is done") }
}
// snippet.end

// snippet.bar
/// A view that draws slowly: it wants the newest number, and not all of them.
@MainActor final class ProgressBar {
  private(set) var text = ""
  private var observer: SignalObserver?

  func follow(_ queue: JobQueue) {
    observer = queue.progressed.buffering(.newest(1))
      .connect(self, ProgressBar.draw)
  }

  func hide() { observer?.cancel() }

  private func draw(_ job: String, _ percent: Int) {
    text = "\(job): \(percent) %"
  }
}
// snippet.end

// snippet.run
let queue = JobQueue()
let list = JobList()
let bar = ProgressBar()
list.follow(queue)
bar.follow(queue)

await queue.run("import", steps: 1000)
await queue.finished.next { await queue.run("index", steps: 10) }
print(list.lines, bar.text)

bar.hide()  // nothing is drawn from here on
await queue.finished.next { await queue.run("backup", steps: 2) }
print(list.lines.last ?? "", bar.text)
// snippet.end

// snippet.quiet
/// Announces a job when no other has finished for a second.
func quiet(
  _ queue: JobQueue, clock: some Clock<Duration>
) -> some SignalSource<String> {
  queue.finished.debounce(for: .seconds(1), clock: clock)
}
// snippet.end

// snippet.test
func testThatOnlyTheLastJobIsAnnounced() async throws {
  let queue = JobQueue()
  let clock = ManualClock()
  let spy = SignalSpy(quiet(queue, clock: clock))

  await queue.run("import", steps: 1)
  await queue.run("index", steps: 1)
  await clock.waitForSleepers(1)

  clock.advance(by: .milliseconds(999))
  assert(clock.sleeperCount == 1 && spy.payloads.isEmpty)

  clock.advance(by: .milliseconds(1))
  let job = try await spy.next()
  assert(job == "index")
}
// snippet.end

try await testThatOnlyTheLastJobIsAnnounced()
print("the test passed")
