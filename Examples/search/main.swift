// Testing code that uses signals: a spy, and a clock that a test moves.
//
//     swift run search

import SignalObserver
import SignalObserverTesting

/// Searches for what was typed once the user has paused for half a second.
final class SearchField {
  @EmitterValue var text = ""

  func searches(clock: some Clock<Duration>) -> some SignalSource<String> {
    $text.filter { !$0.isEmpty }.debounce(for: .milliseconds(500), clock: clock)
  }
}

/// Stands for what a test framework has.
func expect(_ holds: Bool, _ sentence: String) {
  print(holds ? "passed:" : "FAILED:", sentence)
}

func testThatItWaitsForAPause() async throws {
  let field = SearchField()
  let clock = ManualClock()
  let spy = SignalSpy(field.searches(clock: clock))

  field.text = "sig"
  await clock.waitForSleepers(1)
  clock.advance(by: .milliseconds(499))
  expect(
    clock.sleeperCount == 1 && spy.payloads.isEmpty,
    "nothing is searched for while the user types")

  field.text = "signal"
  await clock.waitForSleepers(1)
  clock.advance(by: .milliseconds(500))
  let search = try await spy.next()
  expect(search == "signal", "a pause searches for the newest text, once")
}

func testThatItIsReleased() {
  let check = ReleaseCheck()
  var field: SearchField? = check.watch(SearchField())
  let capture = check.capture("closure")
  field?.$text.connect(on: .inline) { _ in _ = capture }
  field = nil
  expect(!check.alive.contains("SearchField"), "a connection does not hold its emitter's owner")
}

try await testThatItWaitsForAPause()
testThatItIsReleased()
