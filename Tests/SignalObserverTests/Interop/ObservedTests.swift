import Dispatch
import Observation
import SignalObserver
import Testing
import Turns

@MainActor @Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct ObservedTests {
  /// Ends the connections, whose closures hold their models.
  private let observers = ObserverBag()

  @Test func `a connection gets the value at first, and each later one`() async {
    let model = Model()
    let values = observed { model.title }.values
    var iterator = values.makeAsyncIterator()

    #expect(await iterator.next() == "a")
    model.title = "b"
    #expect(await iterator.next() == "b")
    model.title = "c"
    #expect(await iterator.next() == "c")
  }

  @Test func `the first value is sent before connect returns if the closure belongs there`() {
    let model = Model()
    let label = Label()
    observed { model.title }.connect(label, Label.show).store(in: observers)

    #expect(label.texts == ["a"])
  }

  @Test func `changes that are made together are one`() async {
    let model = Model()
    let label = Label()
    observed { "\(model.title)\(model.count)" }.connect(label, Label.show).store(in: observers)
    model.title = "b"
    model.title = "c"
    model.count = 7
    await mainQueueSettled()

    #expect(label.texts == ["a0", "c7"])
  }

  @Test func `a change of what was not read is none`() async {
    let model = Model()
    let label = Label()
    observed { model.title }.connect(label, Label.show).store(in: observers)
    model.count = 1
    await mainQueueSettled()

    #expect(label.texts == ["a"])
  }

  @Test func `what a closure reads may change with what it reads`() async {
    let model = Model()
    let label = Label()
    observed { model.count == 0 ? "none" : model.title }.connect(label, Label.show).store(
      in: observers)
    model.title = "b"
    await mainQueueSettled()
    model.count = 1
    await mainQueueSettled()
    model.title = "c"
    await mainQueueSettled()

    #expect(label.texts == ["none", "b", "c"])
  }

  @Test func `each connection tracks for itself`() async {
    let model = Model()
    let source = observed { model.title }
    let labels = [Label(), Label()]
    let first = source.connect(labels[0], Label.show)
    model.title = "b"
    await mainQueueSettled()
    source.connect(labels[1], Label.show).store(in: observers)
    first.cancel()
    model.title = "c"
    await mainQueueSettled()

    #expect(labels.map(\.texts) == [["a", "b"], ["b", "c"]])
  }

  @Test func `a suspended connection drops values, and follows the model when resumed`() async {
    let model = Model()
    let label = Label()
    let observer = observed { model.title }.connect(label, Label.show)
    observer.store(in: observers)
    observer.suspend()
    model.title = "b"
    await mainQueueSettled()
    observer.resume()
    model.title = "c"
    await mainQueueSettled()

    #expect(label.texts == ["a", "c"])
  }

  @Test func `a dead target ends a suspended connection at the next change`() async {
    let (model, box) = (Model(), Box(Weight()))
    @Weakly var released = box.value
    var label: Label? = Label()
    let observer = label.map { label in
      observed { [weight = box.value] in "\(model.title)\(weight == nil)" }
        .connect(label, Label.show)
    }
    box.value = nil
    observer?.suspend()
    label = nil
    model.title = "b"
    await mainQueueSettled()

    #expect(released == nil)
    withExtendedLifetime(observer) {}
  }

  @Test func `cancelling releases the closure and with it the model`() async {
    var model: Model? = Model()
    @Weakly var released = model
    let label = Label()
    let observer = observed { [model] in model?.title ?? "" }.connect(label, Label.show)
    model = nil
    #expect(released != nil)
    observer.cancel()

    #expect(released == nil)
  }

  @Test func `a dead target ends the connection at the next change`() async {
    let model = Model()
    var label: Label? = Label()
    @Weakly var released = label
    let observer = label.map { observed { model.title }.connect($0, Label.show) }
    label = nil
    #expect(released == nil)
    model.title = "b"
    await mainQueueSettled()

    #expect(observer?.isCancelled == true)
  }

  @Test func `a dead target's connection keeps the model until it is noticed`() async {
    var model: Model? = Model()
    @Weakly var released = model
    var label: Label? = Label()
    let observer = label.map { label in
      observed { [model] in model?.title ?? "" }.connect(label, Label.show)
    }
    (label, model) = (nil, nil)
    await mainQueueSettled()
    #expect(released != nil)

    #expect(observer?.isCancelled == true)
    #expect(released == nil)
  }

  @Test func `a target's bag releases the model with the target`() {
    var model: Model? = Model()
    @Weakly var released = model
    var label: Label? = Label()
    if let label {
      observed { [model] in model?.title ?? "" }.connect(label, Label.show).store(in: label.bag)
    }
    (label, model) = (nil, nil)

    #expect(released == nil)
  }

  @Test func `the connection ends when no model is left that could change`() async {
    var model: Model? = Model()
    let label = Label()
    let observer = observed { [weak model] in model?.title ?? "" }.connect(label, Label.show)
    #expect(!observer.isCancelled)
    model = nil

    #expect(observer.isCancelled)
  }

  @Test func `it is delivered where the slot belongs`() async {
    let model = Model()
    let queue = DispatchQueue(label: "q")
    let received = Trace<String>()
    observed { model.title }.connect(on: queue) { received.add($0) }.store(in: observers)
    model.title = "b"

    #expect(await received.entries(2) == ["a", "b"])
  }

  @Test func `on another actor it reads there`() async {
    let reader = Reader()
    let received = await reader.follow()
    var iterator = received.makeAsyncIterator()

    #expect(await iterator.next() == "a")
    await reader.change("b")
    #expect(await iterator.next() == "b")
  }

  @Test @Studio func `a slot of the actor that reads is called at once there`() async {
    let number = EmitterValue(1)
    let log = Log()
    let observer = observed { @Studio in
      log.add("read \(number.value)")
      // Behind this, and before what is sent to the actor from now on.
      Task { @Studio in log.add("turn") }
      return number.value
    }.connect { @Studio value in log.add("slot \(value)") }
    _ = await log.entries(3)
    observer.cancel()

    #expect(log.entries == ["read 1", "slot 1", "turn"])
  }
}

/// Returns when what is on the main queue now, and what that puts there, has run.
@MainActor func mainQueueSettled() async {
  for _ in 0..<3 { await mainQueueDrained() }
}

@MainActor @Observable final class Model {
  var title = "a"
  var count = 0
}

private final class Weight: Sendable {}

@MainActor private final class Label {
  let bag = ObserverBag()
  var texts: [String] = []

  func show(_ text: String) { texts.append(text) }
}

private actor Reader {
  @Observable final class Model {
    var title = "a"
  }

  private let model = Model()

  func follow() -> SignalValues<String> {
    observed {
      self.preconditionIsolated()
      return self.model.title
    }.values
  }

  func change(_ title: String) { model.title = title }
}
