// What RxSwift and Combine have a type for, and what takes its place.

import SignalObserver

struct Failure: Error {}

// snippet.completion
enum Event: Sendable {
  case received(Int)
  case failed(any Error)
  case completed
}

final class Transfer {
  @EmitterArg<Event> var happened

  func run(_ chunks: [Int]) {
    for chunk in chunks {
      guard chunk >= 0 else { return _happened.invoke(.failed(Failure())) }
      _happened.invoke(.received(chunk))
    }
    _happened.invoke(.completed)
  }
}
// snippet.end

let transfer = Transfer()
// snippet.completion-use
transfer.happened.connect { event in
  switch event {
  case .received(let size): print("received", size)
  case .failed(let error): print("failed:", error)
  case .completed: print("completed")
  }
}
// snippet.end
transfer.run([1, 2])
transfer.run([-1])

// snippet.single
func size(of path: String) async throws -> Int {  // was Single<Int>
  path.utf8.count
}

final class FileView: Sendable {
  private let requested = EmitterArg<String>()
  private let loaded = EmitterArg<Result<Int, any Error>>()
  var sizeLoaded: SignalArg<Result<Int, any Error>> { loaded.signal }

  init() { requested.signal.connect(self, FileView.load) }

  func open(_ path: String) { requested.invoke(path) }

  private func load(_ path: String) async {
    do {
      loaded.invoke(.success(try await size(of: path)))
    } catch {
      loaded.invoke(.failure(error))
    }
  }
}
// snippet.end

let files = FileView()
files.sizeLoaded.compactMap { try? $0.get() }.connect(on: .inline) { size in print(size, "bytes") }
async let loaded = files.sizeLoaded.next()
files.open("a.txt")
_ = await loaded

// snippet.stored
final class Gauge {
  private let source: any SignalSource<Double>  // was Observable<Double>
  private var observer: ObserverBag?  // was DisposeBag()

  init(_ source: some SignalSource<Double>) { self.source = source }

  func start() {
    // Replaces what was connected before, as a new DisposeBag does.
    observer = source.connect(self, Gauge.show).scoped()
  }

  func stop() { observer = nil }

  private func show(_ level: Double) { print("level", level) }
}
// snippet.end

let levels = EmitterArg<Int>()
let gauge = Gauge(levels.signal.map { Double($0) / 10 })
gauge.start()
gauge.start()
levels.invoke(5)  // once
gauge.stop()
levels.invoke(6)
