import SignalObserver
import Testing

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct CustomValueTests {
  final class Store: @unchecked Sendable {
    var title = "stored"
    var calls: [String] = []
  }

  @Test func `a wrapped property may be kept elsewhere`() {
    final class Page {
      let store: Store
      @EmitterValue var title: String

      init(_ store: Store) {
        self.store = store
        _title = EmitterValue(get: { store.title }, set: { store.title = $0 })
      }
    }
    let page = Page(Store())
    let trace = Trace<String>()
    page.$title.changes.connect(on: .inline) { trace.add("\($0) \($1)") }
    page.title = "b"
    #expect(page.store.title == "b")
    #expect(trace.entries == ["stored b"])
  }

  @Test func `what was set around the emitter is sent on request`() {
    let store = Store()
    let value = EmitterValue(get: { store.title }, set: { store.title = $0 })
    let (trace, _) = value.signal.traced()
    store.title = "around"
    value.invoke()
    #expect(value.modify { $0 += "!" } == ())
    #expect(trace.entries == ["stored", "around", "around!"])
  }
}
