// A signal of a payload that is not Sendable delivers inline, in the isolation domain that it
// belongs to.

import Dispatch
import SignalObserver

final class Document {
  let pages = 1
}

final class Editor {
  @EmitterArg<Document> var opened
  @EmitterArg<Int> var closed
}

final class Window {
  func show(_ document: Document) {}
  func reload() {}
}

@MainActor final class View {
  func show(_ document: Document) {}
  func reload() {}
}

let queue = DispatchQueue(label: "queue")

final class SharedBox<Content: Sendable> {
  @EmitterArg<Content> var filled

  func follow(_ view: View) { filled.connect(view, View.reload) }
}

func works(editor: Editor, window: Window) {
  editor.opened.connect { document in window.show(document) }
  editor.opened.connect(window) { window, document in window.show(document) }
  editor.opened.connect(window) { $0.show($1) }
  editor.opened.connect(window, Window.show)
  editor.opened.connect(window, Window.reload)
  editor.opened.filter { $0.pages > 0 }.dropFirst().removeDuplicates(by: ===).prefix(1)
    .connect(window, Window.show)
  var pages: [Int] = []
  editor.opened.connect { pages.append($0.pages) }
  merge(editor.opened, Second(base: editor.opened)).connect(window, Window.show)
}

func worksWithPlainClosures(
  editor: Editor, show: @escaping (Document) -> Void, done: @escaping () -> Void,
  isLong: @escaping (Document) -> Bool
) {
  editor.opened.connect(show)
  editor.opened.connect { show($0) }
  editor.opened.connect { _ in done() }
  // In place of a filter by a plain closure.
  editor.opened.connect { if isLong($0) { show($0) } }
}

/// An operator of a user's, for any payload.
struct Second<Base: SignalSource>: SignalSource {
  let base: Base

  func attach(_ slot: SignalSlot<Base.Payload>) -> SignalObserver {
    base.attach(slot.compactAdapted { $0 })
  }
}

@MainActor func worksOnMainActor(editor: Editor, view: View) {
  editor.opened.connect(view, View.show)
}

#if WRONG
  // A filter by a plain closure would also be taken, in silence, for payloads that any thread may send.
  func filtersByPlainClosure(editor: Editor, isLong: @escaping (Document) -> Bool) {
    // expected-error@+1 {{passing non-Sendable parameter 'isLong' to function expecting a '@Sendable' closure}}
    _ = editor.opened.filter(isLong)
  }

  func connectsWithQueue(editor: Editor, window: Window) {
    // expected-error@+1 {{type 'Document' does not conform to the 'Sendable' protocol}}
    editor.opened.connect(on: queue) { document in }
    // expected-error@+1 {{type 'Document' does not conform to the 'Sendable' protocol}}
    editor.opened.connect(window, Window.show, queue)
    // expected-error@+1 {{type 'Document' does not conform to the 'Sendable' protocol}}
    editor.opened.connect(window, Window.reload, queue)
  }

  func connectsMainActorFromElsewhere(editor: Editor, view: View) {
    // expected-error@+1 {{call to main actor-isolated instance method 'connect(_:_:fileID:line:)' in a synchronous nonisolated context}}
    editor.opened.connect(view, View.show)
  }

  final class Box<Content> {
    @EmitterArg<Content> var filled

    func follow(_ view: View) {
      // expected-error@+1 {{call to main actor-isolated instance method 'connect(_:_:fileID:line:)' in a synchronous nonisolated context}}
      filled.connect(view, View.reload)
    }
  }

  func mapsToSlot(editor: Editor, window: Window) {
    // expected-error@+1 2{{type 'Document' does not conform to the 'Sendable' protocol}}
    editor.opened.map(window, Window.show, { $0 })
  }

  // An operator between a payload that is Sendable and one that is not would have the slot run where the
  // one belongs, and be called from where the other may be sent.
  func operatesFromDocuments(editor: Editor) {
    // expected-error@+1 {{type 'Document' does not conform to the 'Sendable' protocol}}
    _ = editor.opened.map { $0.pages }
    // expected-error@+1 {{type 'Document' does not conform to the 'Sendable' protocol}}
    _ = editor.opened.compactMap { $0.pages }
    // expected-error@+1 {{type 'Document' does not conform to the 'Sendable' protocol}}
    _ = editor.opened.scan(0) { $0 + $1.pages }
    // expected-error@+1 {{type 'Document' does not conform to the 'Sendable' protocol}}
    _ = combineLatest(editor.opened, editor.closed)
  }

  func loopsOverDocuments(editor: Editor) async {
    // expected-error@+1 3{{type 'Document' does not conform to the 'Sendable' protocol}}
    for await document in editor.opened.values { print(document.pages) }
    // expected-error@+1 {{type 'Document' does not conform to the 'Sendable' protocol}}
    _ = await editor.opened.next()
  }

  func operatesToDocuments(editor: Editor) {
    // expected-error@+1 {{type 'Document' does not conform to the 'Sendable' protocol}}
    _ = editor.closed.map { _ in Document() }
    // expected-error@+1 {{type 'Document' does not conform to the 'Sendable' protocol}}
    _ = editor.closed.compactMap { _ in Document() }
    // expected-error@+1 {{type 'Document' does not conform to the 'Sendable' protocol}}
    _ = editor.closed.scan(Document()) { document, _ in document }
  }

  struct Pages<Base: SignalSource<Document>>: SignalSource {
    let base: Base

    func attach(_ slot: SignalSlot<Int>) -> SignalObserver {
      // expected-error@+1 {{type 'Document' does not conform to the 'Sendable' protocol}}
      base.attach(slot.adapted { $0.pages })
    }
  }
#endif
