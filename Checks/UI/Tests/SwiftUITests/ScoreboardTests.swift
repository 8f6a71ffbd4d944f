import SwiftUI
import Testing

@testable import Scoreboard

@MainActor @Suite struct ScoreboardTests {
  @Test func `the example shows goals, the name that is typed, and the winner`() throws {
    let screen = Screen(ScoreboardApp())
    #expect(screen.texts == ["North: 0", "Who is first to score three?"])
    screen.fields["Team"]?.wrappedValue = "South"
    let goal = try #require(screen.buttons["Goal"])
    for _ in 1...3 { goal() }
    screen.update()

    #expect(screen.texts == ["South: 3", "South has won"])
  }
}
