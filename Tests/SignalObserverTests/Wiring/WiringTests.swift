import Dispatch
import SignalObserver
import Testing
import Turns

@Suite(.serialized, .inTurn, .nothingLeft, .timeLimit(.minutes(5))) struct WiringTests {
  let log = Log()
  let form = Form()
  let file: StaticString = "M/F.swift"

  @Test func `a diamond meets in its operator, and leaves it by one line`() {
    let observer = combineLatest(form.$name, form.$password).map { $0.0 + $0.1 }.removeDuplicates()
      .connect(on: .inline, fileID: file, line: 1) { _ in }
    let wiring = Wiring(of: form)

    #expect(
      wiring.description == """
        Form
          name: SignalValue<String>
            → combineLatest
          password: SignalValue<String>
            → combineLatest
          sent: Signal<Int>
        combineLatest
            → map → removeDuplicates → closure, inline, M/F.swift:1
        """)
    #expect(
      wiring.mermaid == """
        flowchart LR
          subgraph o0["Form"]
            n0(["name"])
            n1(["password"])
            n2(["sent"])
          end
          n3{{"combineLatest"}}
          n4["closure<br>M/F.swift:1"]
          n0 --> n3
          n1 --> n3
          n3 -->|"map → removeDuplicates, inline"| n4
        """)
    #expect(
      wiring.dot == """
        digraph wiring {
          rankdir=LR;
          node [shape=box];
          subgraph cluster_0 {
            label="Form";
            n0 [label="name", shape=ellipse];
            n1 [label="password", shape=ellipse];
            n2 [label="sent", shape=ellipse];
          }
          n3 [label="combineLatest", shape=hexagon];
          n4 [label="closure\\nM/F.swift:1"];
          n0 -> n3;
          n1 -> n3;
          n3 -> n4 [label="map → removeDuplicates, inline"];
        }
        """)
    observer.cancel()
  }

  @Test func `an operator with one source and one slot is a part of the way between them`() {
    let target = Target("target", log)
    let observer = form.sent.filter { $0 > 0 }.debounce(for: .seconds(9)).map { $0 + 1 }
      .connect(target, Target.show, .inline, fileID: file, line: 2)

    #expect(
      slots(of: form.sent) == [
        "→ filter → debounce → map → Target, inline, M/F.swift:2"
      ])
    #expect(!Wiring(of: form.sent).mermaid.contains("{{"))
    observer.cancel()
  }

  @Test func `bonds of a ring are shown once each, and bindings with their direction`() {
    let (a, b, c) = (EmitterValue(""), EmitterValue(""), EmitterValue(""))
    let ends = [
      a.bond(givingTo: b), b.bond(givingTo: c), c.bond(givingTo: a),
      c.signal.bind(to: form.nameEmitter),
    ]
    let ring = Ring(a: a, b: b, c: c)

    #expect(
      Wiring(of: ring, form).description == """
        Ring
          a: SignalValue<String>
            ⇄ bond → Ring.b
            ⇄ bond → Ring.c
          b: SignalValue<String>
            ⇄ bond → Ring.c
          c: SignalValue<String>
            → bind → Form.name
        Form
          name: SignalValue<String>
          password: SignalValue<String>
          sent: Signal<Int>
        """)
    #expect(Wiring(of: ring).mermaid.contains("n0 <-->|\"bond\"| n1"))
    #expect(Wiring(of: ring).dot.contains("n0 -> n1 [label=\"bond\", dir=both];"))
    for end in ends { end.cancel() }
  }

  @Test func `a thousand connections that differ in nothing are one line with their number`() {
    let targets = (0..<1000).map { Target("\($0)", log) }
    let queue = DispatchQueue(label: "work")
    for target in targets { form.sent.connect(target, Target.show, queue, fileID: file, line: 3) }
    form.sent.connect(targets[0], Target.show, queue, fileID: file, line: 4).suspend()

    #expect(
      slots(of: form.sent) == [
        "→ Target, queue \"work\", ×1000, M/F.swift:3",
        "→ Target, queue \"work\", suspended, M/F.swift:4",
      ])
    #expect(Wiring(of: form).mermaid.split(separator: "\n").count { $0.contains("-->") } == 2)
  }

  @Test func `of several connections that differ in nothing, it says how many are suspended`() {
    let targets = (0..<2).map { Target("\($0)", log) }
    let observers = targets.map {
      form.sent.connect($0, Target.show, .inline, fileID: file, line: 3)
    }
    #expect(slots(of: form.sent) == ["→ Target, inline, ×2, M/F.swift:3"])
    observers[0].suspend()
    #expect(slots(of: form.sent) == ["→ Target, inline, ×2, 1 suspended, M/F.swift:3"])
    observers[1].suspend()
    #expect(slots(of: form.sent) == ["→ Target, inline, ×2, 2 suspended, M/F.swift:3"])
    observers[1].cancel()
    #expect(slots(of: form.sent) == ["→ Target, inline, suspended, M/F.swift:3"])
  }

  @Test func `operators, and signals without an object, have numbers if their names are alike`() {
    let (first, second) = (EmitterArg<Int>(), EmitterArg<Int>())
    let observers = (0..<2).map { _ in
      merge(first.signal, second.signal).connect(on: .inline, fileID: file, line: 1) { _ in }
    }

    #expect(
      Wiring(of: first.signal, second.signal).description == """
        Signal<Int> 1
            → merge 1
            → merge 2
        Signal<Int> 2
            → merge 1
            → merge 2
        merge 1
            → closure, inline, M/F.swift:1
        merge 2
            → closure, inline, M/F.swift:1
        """)
    for observer in observers { observer.cancel() }
  }

  @Test func `a target that is given is shown as the object, and others as their type`() {
    let (first, second) = (Target("first", log), Target("second", log))
    form.sent.connect(first, Target.show, .inline, fileID: file, line: 5)
    form.sent.connect(second, Target.show, .inline, fileID: file, line: 5)

    let lines = Wiring(of: form, first, second).description.split(separator: "\n").suffix(4)
    #expect(
      lines == [
        "    → Target, inline, M/F.swift:5", "    → Target 2, inline, M/F.swift:5", "Target",
        "Target 2",
      ])
  }

  @Test func `a target with signals of its own is drawn in its frame`() {
    let relay = Relaying()
    form.sent.connect(relay, Relaying.pass, .inline, fileID: file, line: 5)

    #expect(
      Wiring(of: form.sent, relay).mermaid == """
        flowchart LR
          subgraph o0["Relaying"]
            n1(["passed"])
            n2["Relaying"]
          end
          n0(["Signal#lt;Int#gt;"])
          n0 -->|"inline"| n2
        """)
  }

  @Test func `emitters are found in what properties consist of`() {
    let pair = (EmitterVoid(), EmitterArg<Int>())
    let all = Everything(pair: pair)

    #expect(
      Wiring(of: all).description == """
        Everything
          inherited: Signal<()>
          wrapped: Signal<Int>
          pair.0: Signal<()>
          pair.1: Signal<Int>
          list[0]: Signal<String>
          list[1]: Signal<String>
          table[key]: Signal<Bool>
          maybe: SignalValue<Int>
        """)
    // Whichever is given first, a signal is named by the property.
    let both = Wiring(of: pair.0.signal, all).description
    #expect(both.split(separator: "\n").count { $0.contains("Signal<()>") } == 2)
    #expect(both.contains("\n  pair.0: Signal<()>\n"))
  }

  @Test func `an object that is given twice is shown once`() {
    let all = Everything(pair: (EmitterVoid(), EmitterArg<Int>()))

    #expect(Wiring(of: all, all).description == Wiring(of: all).description)
  }

  @Test func `a lazy property has its name`() {
    final class Recorder {
      @EmitterArg<Int> var scored
      lazy var recent = scored.replay(1)
    }
    let recorder = Recorder()
    recorder.recent.connect(on: .inline) { _ in }
    recorder.recent.connect(on: .inline) { _ in }

    #expect(Wiring(of: recorder).description.contains("  recent: "))
  }

  @Test func `what another process sends and receives is shown by its name`() {
    let subject = Subject()
    let (incoming, outgoing) = (EmitterArg<Int>(), EmitterArg<Int>())
    subject.signal = incoming.signal
    let observer = Outlet(base: outgoing.signal).connect(on: .inline) { _ in }
    incoming.signal.connect(on: .inline, fileID: file, line: 6) { _ in }

    #expect(
      Wiring(of: outgoing.signal, Holder(subject: subject)).description == """
        Holder
          subject: Signal<Int>
            → closure, inline, M/F.swift:6
        Signal<Int>
            → goals
        goals
            → Holder.subject
        """)
    observer.cancel()
  }

  @Test func `a replay that several slots share stays a node`() {
    let replay = form.sent.replay(1)
    let observers = [7, 8].map { line in
      replay.connect(on: .inline, fileID: file, line: line) { _ in }
    }

    #expect(slots(of: form.sent) == ["→ replay"])
    #expect(
      Wiring(of: form.sent).description.hasSuffix(
        """
        replay
            → closure, inline, M/F.swift:7
            → closure, inline, M/F.swift:8
        """))
    #expect(Wiring(of: replay).description.contains("→ closure, inline, M/F.swift:8"))
    for observer in observers { observer.cancel() }
  }

  @Test func `a mirror that says that it is a dictionary may have any children`() {
    struct Odd: CustomReflectable {
      let emitter = EmitterVoid()

      var customMirror: Mirror {
        Mirror(self, children: ["emitter": emitter], displayStyle: .dictionary)
      }
    }
    final class Owner { let odd = Odd() }
    let owner = Owner()
    #expect("\(Wiring(of: owner))" == "Owner\n  odd.emitter: Signal<()>")
  }

  @Test func `values that lie in each other are followed to some depth`() {
    indirect enum List { case end(EmitterVoid), more(List) }
    final class Owner {
      let near: List
      let far: List

      init(_ depth: Int) {
        near = .more(.end(EmitterVoid()))
        far = (0..<depth).reduce(.end(EmitterVoid())) { list, _ in .more(list) }
      }
    }
    let owner = Owner(10_000)
    #expect("\(Wiring(of: owner))" == "Owner\n  near: Signal<()>")
  }

  @Test func `many operators in a row and beside each other are joined`() {
    let emitter = EmitterArg<Int>()
    for _ in 0..<1000 {
      emitter.signal.debounce(for: .seconds(1)).delay(for: .seconds(1)).connect(on: .inline) { _ in
      }
    }
    let lines = "\(Wiring(of: emitter))".split(separator: "\n")
    #expect(lines.count { $0.contains("→ debounce → delay → closure, inline, ") } == 1000)
    #expect(lines.count == 1001)
    emitter.cancelAllObservers()
  }

  @Test func `a picture holds nothing of what it shows`() {
    var emitter: EmitterArg<Int>? = EmitterArg<Int>()
    @Weakly var signal = emitter?.signal
    let wiring = Wiring(of: emitter as Any)
    emitter = nil

    #expect(signal == nil)
    #expect(wiring.description == "Signal<Int>")
  }

  /// The lines of one signal.
  private func slots(of signal: Signal<Int>) -> [String] {
    Wiring(of: signal).description.split(separator: "\n").dropFirst()
      .prefix { $0.hasPrefix("    ") }.map { String($0.dropFirst(4)) }
  }
}

private final class Relaying: Sendable {
  let passed = EmitterArg<Int>()

  func pass(_ number: Int) { passed.invoke(number) }
}

/// Has no signals.
private final class Outline {}

struct Ring {
  let a, b, c: EmitterValue<String>
}

/// `@unchecked Sendable`: no other thread uses it.
final class Form: @unchecked Sendable {
  @EmitterValue var name = ""
  @EmitterValue var password = ""
  @EmitterArg<Int> var sent

  var nameEmitter: EmitterValue<String> { _name }
}

private class Base {
  @EmitterVoid var inherited
}

private final class Everything: Base {
  @EmitterArg<Int> var wrapped
  let pair: (EmitterVoid, EmitterArg<Int>)
  let list = [EmitterArg<String>(), EmitterArg<String>()]
  let table = ["key": EmitterArg<Bool>()]
  let maybe: EmitterValue<Int>? = EmitterValue(1)
  let none: EmitterValue<Int>? = nil
  let number = 7
  let other: Outline? = Outline()

  init(pair: (EmitterVoid, EmitterArg<Int>)) { self.pair = pair }
}

/// Stands for the subject of a bus.
private final class Subject: Wiring.Endpoint {
  var signal: Signal<Int>?

  let endpoint = "goals"
  var endpointSignal: any SignalSource { signal ?? EmitterArg<Int>().signal }

  func attach(_ slot: SignalSlot<Int>) -> SignalObserver {
    (signal ?? EmitterArg<Int>().signal).attach(slot)
  }
}

private struct Holder {
  let subject: Subject
}

private struct Outlet<Base: SignalSource<Int>>: SignalSource {
  let base: Base

  func attach(_ slot: SignalSlot<Int>) -> SignalObserver { base.attach(slot.leaving(for: "goals")) }
}
