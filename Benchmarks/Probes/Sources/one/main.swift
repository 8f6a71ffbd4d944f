import SignalObserver

// One connection of a method, which `Benchmarks/gate` strips and weighs.
final class View {
  var seen = 0

  func take(_ value: Int) { seen += value }
}

final class Model {
  @EmitterArg<Int> var changed

  func send() { _changed.invoke(1) }
}

func run() {
  let (model, view) = (Model(), View())
  model.changed.connect(view, View.take, .inline)
  model.send()
  print(view.seen)
}

run()
