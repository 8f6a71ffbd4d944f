import Foundation
import Testing

@Suite(.serialized, .twoAtATime, .timeLimit(.minutes(2))) struct DemoTests {
  @Test func `the demo loses nothing, though each process and the server are killed`() async throws
  {
    let demo = try Peer(["--goals", "12", "--kill"], program: "remote-demo")

    #expect(await demo.hasPrinted("[demo] north 12 : 12 south; lost: nothing", seconds: 100))
    for victim in ["north", "south", "board", "server"] {
      #expect(demo.printed.contains("[demo] kills \(victim) with kill -9"))
    }
    #expect(await until { !demo.isRunning })
  }
}
