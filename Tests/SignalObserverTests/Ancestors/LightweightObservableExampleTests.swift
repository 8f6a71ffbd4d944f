import SignalObserver
import Testing
import Turns

/// What the examples of LightweightObservable do, in our words; the README lists them.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct LightweightObservableExampleTests {
  final class Clock {
    private let time = EmitterValue("4:20 PM")
    var formattedTime: SignalValue<String> { time.signal }
    lazy var sameTime: SignalValue<String> = time.signal

    func tick(_ text: String) { time.value = text }
    func tock(_ text: String) { time.set(text) }
  }

  /// `@unchecked Sendable`: one thread at a time.
  final class Label: @unchecked Sendable {
    var text = ""
    var note: String?
  }

  let clock = Clock()
  let emitter = EmitterArg<Int>()

  @Test func `A-4.3.1: what is mapped is what arrives`() {
    let (trace, _) = emitter.signal.map { $0 * 2 }.traced()
    for number in 1...3 { emitter.invoke(number) }
    #expect(trace.entries == [2, 4, 6])
  }

  @Test func `A-4.3.2: a loop awaits every value`() async {
    var iterator = clock.formattedTime.values.makeAsyncIterator()
    clock.tick("4:21 PM")
    clock.tick("4:22 PM")
    var seen: [String] = []
    for _ in 0..<3 { seen.append(await iterator.next() ?? "-") }
    #expect(seen == ["4:20 PM", "4:21 PM", "4:22 PM"])
  }

  @Test func `A-4.3.3: an event starts empty, and then reaches its slots`() {
    let (trace, _) = emitter.signal.traced()
    #expect(trace.entries == [])
    emitter.invoke(1)
    #expect(trace.entries == [1])
  }

  @Test func `A-4.3.4: a value is set in two ways, which both tell`() {
    let (trace, _) = clock.formattedTime.traced()
    clock.tick("4:21 PM")
    clock.tock("4:22 PM")
    #expect(trace.entries == ["4:20 PM", "4:21 PM", "4:22 PM"])
  }

  @Test func `A-4.3.5: a computed property is the view that cannot set`() {
    let (trace, _) = clock.formattedTime.traced()
    clock.tick("4:21 PM")
    #expect(trace.entries == ["4:20 PM", "4:21 PM"])
    #expect(!((clock.formattedTime as Any) is EmitterValue<String>))
  }

  @Test func `A-4.3.6: a lazy property is the same view`() {
    let (trace, _) = clock.sameTime.traced()
    clock.tick("4:21 PM")
    #expect(trace.entries == ["4:20 PM", "4:21 PM"])
    #expect(clock.sameTime === clock.formattedTime)
  }

  @Test func `A-4.3.7: a value sends the current one and then old and new, an event new ones only`()
  {
    let (times, _) = clock.formattedTime.scan([String?]()) { [$0.last ?? nil, $1] }.traced()
    let (events, _) = emitter.signal.scan([Int?]()) { [$0.last ?? nil, $1] }.traced()
    clock.tick("4:21 PM")
    for number in 1...2 { emitter.invoke(number) }
    #expect(times.entries == [[nil, "4:20 PM"], ["4:20 PM", "4:21 PM"]])
    #expect(events.entries == [[nil, 1], [1, 2]])
  }

  @Test func `A-4.3.8: a property, optional or not, gets the initial value and each new one`() {
    let label = Label()
    clock.formattedTime.bind(to: \.text, of: label, on: nil)
    clock.formattedTime.bind(to: \.note, of: label, on: nil)
    #expect([label.text, label.note] == ["4:20 PM", "4:20 PM"])
    clock.tick("4:21 PM")
    #expect([label.text, label.note] == ["4:21 PM", "4:21 PM"])
  }

  @Test func `A-4.3.9: a subscription lives as long as its token`() {
    let (trace, observer) = clock.formattedTime.traced()
    var token: ObserverBag? = observer.scoped()
    withExtendedLifetime(token) { clock.tick("4:21 PM") }
    token = nil
    clock.tick("4:22 PM")
    #expect(trace.entries == ["4:20 PM", "4:21 PM"])
  }

  @Test func `A-4.3.10: a binding lives as long as its token`() {
    let label = Label()
    var token: ObserverBag? = clock.formattedTime.bind(to: \.text, of: label, on: nil).scoped()
    withExtendedLifetime(token) { clock.tick("4:21 PM") }
    token = nil
    clock.tick("4:22 PM")
    #expect(label.text == "4:21 PM")
  }

  @Test func `A-4.3.11: emptying a bag ends all subscriptions and bindings in it`() {
    let (bag, label) = (ObserverBag(), Label())
    let (trace, observer) = clock.formattedTime.traced()
    observer.store(in: bag)
    clock.formattedTime.bind(to: \.text, of: label, on: nil).store(in: bag)
    clock.tick("4:21 PM")
    bag.cancelAll()
    clock.tick("4:22 PM")
    #expect(trace.entries == ["4:20 PM", "4:21 PM"])
    #expect(label.text == "4:21 PM")
  }

  @Test func `A-4.3.12: a filter of old and new is given the last one that passed`() {
    let (trace, _) = emitter.signal.removeDuplicates { old, new in new <= old }.traced()
    for number in [1, 3, 2, 3, 4] { emitter.invoke(number) }
    #expect(trace.entries == [1, 3, 4])
  }

  @Test func `A-4.3.13: what is equal to the last one is not sent`() {
    let (trace, _) = clock.formattedTime.removeDuplicates().traced()
    for text in ["4:20 PM", "4:21 PM", "4:21 PM"] { clock.tick(text) }
    #expect(trace.entries == ["4:20 PM", "4:21 PM"])
  }

  @Test func `A-4.3.14: a user's filter is an extension`() {
    let (trace, _) = emitter.signal.only(2).traced()
    for number in [1, 2, 3, 2] { emitter.invoke(number) }
    #expect(trace.entries == [2, 2])
  }

  @Test func `A-4.3.15: the current value is read synchronously`() {
    #expect(clock.formattedTime.value == "4:20 PM")
    clock.tick("4:21 PM")
    #expect(clock.formattedTime.value == "4:21 PM")
  }

  @Test func `A-4.3.16: a view that is released is not set any more, and leaks nothing`() {
    final class Controller {
      let label = Label()
      let observers = ObserverBag()

      init(_ clock: Clock) {
        clock.formattedTime.bind(to: \.text, of: label, on: nil).store(in: observers)
      }
    }
    var controller: Controller? = Controller(clock)
    @Weakly var released = controller
    @Weakly var label = controller!.label
    clock.tick("4:21 PM")
    #expect(label?.text == "4:21 PM")
    controller = nil
    #expect(released == nil)
    #expect(label == nil)
    clock.tick("4:22 PM")
    #expect(clock.formattedTime.value == "4:22 PM")
  }
}

extension SignalSource where Payload: Equatable & Sendable {
  fileprivate func only(_ payload: Payload) -> some SignalSource<Payload> {
    filter { $0 == payload }
  }
}
