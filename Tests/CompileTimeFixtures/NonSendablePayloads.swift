// A signal of a payload that is not Sendable delivers inline, in the isolation domain that it
// belongs to.

import Dispatch
import SignalObserver

final class Document {}

final class Editor {
  @EmitterArg<Document> var opened
}

final class Window {
  func show(_ document: Document) {}
  func reload() {}
}

@MainActor final class View {
  func show(_ document: Document) {}
}

let queue = DispatchQueue(label: "queue")

func works(editor: Editor, window: Window) {
  editor.opened.connect { document in window.show(document) }
  editor.opened.connect(window, Window.show)
  editor.opened.connect(window, Window.reload)
}

@MainActor func worksOnMainActor(editor: Editor, view: View) {
  editor.opened.connect(view, View.show)
}

#if WRONG
  func connectsWithQueue(editor: Editor, window: Window) {
    // expected-error@+1 {{type 'Document' does not conform to the 'Sendable' protocol}}
    editor.opened.connect({ document in }, queue)
    // expected-error@+1 {{type 'Document' does not conform to the 'Sendable' protocol}}
    editor.opened.connect(window, Window.show, queue)
    // expected-error@+1 {{type 'Document' does not conform to the 'Sendable' protocol}}
    editor.opened.connect(window, Window.reload, queue)
  }

  func connectsMainActorFromElsewhere(editor: Editor, view: View) {
    // expected-error@+1 {{call to main actor-isolated instance method 'connect(_:_:fileID:line:)' in a synchronous nonisolated context}}
    editor.opened.connect(view, View.show)
  }

  func mapsToSlot(editor: Editor, window: Window) {
    // expected-error@+1 2{{type 'Document' does not conform to the 'Sendable' protocol}}
    editor.opened.map(window, Window.show, { $0 })
  }
#endif
