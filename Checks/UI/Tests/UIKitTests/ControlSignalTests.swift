import SignalObserver
import SignalObserverUI
import Testing
import UIKit

@MainActor @Suite struct ControlSignalTests {
  final class Editor {
    private(set) var trace: [String] = []

    func save() { trace.append("save") }
    func note(_ entry: String) { trace.append(entry) }
  }

  @Test func `a button's tap calls a method at once`() {
    let button = UIButton()
    let editor = Editor()
    button.tapped.connect(editor, Editor.save)
    button.sendActions(for: .primaryActionTriggered)

    #expect(editor.trace == ["save"])
  }

  @Test func `a control's signal is sent for its events and for no others`() {
    let slider = UISlider()
    let editor = Editor()
    slider.signal(for: .touchUpInside).connect(editor) { $0.note("inside") }
    slider.signal(for: [.touchUpInside, .touchUpOutside]).connect(editor) { $0.note("either") }
    slider.sendActions(for: .touchUpOutside)
    slider.sendActions(for: .touchUpInside)
    slider.sendActions(for: .valueChanged)

    #expect(editor.trace == ["either", "inside", "either"])
  }

  @Test func `the same events are the same signal, and one action`() {
    let button = UIButton()
    for _ in 0..<1000 { button.signal(for: .touchUpInside).connect { () in }.cancel() }

    #expect(button.signal(for: .touchUpInside) === button.signal(for: .touchUpInside))
    #expect(button.signal(for: .touchUpInside) !== button.tapped)
    #expect(button.actionCount == 2)
    #expect(button.signal(for: .touchUpInside).slotCount == 0)
  }

  @Test func `connections end with the control, which nothing holds`() {
    var button: UIButton? = UIButton()
    weak let weakButton = button
    let tapped = button?.tapped
    let observer = tapped?.connect { () in }
    #expect(observer?.isCancelled == false)
    button = nil

    #expect(weakButton == nil)
    #expect(observer?.isCancelled == true)
    #expect(tapped?.slotCount == 0)
  }

  @Test func `a target that has died is not called, and the control stays`() {
    let button = UIButton()
    var editor: Editor? = Editor()
    weak let weakEditor = editor
    if let editor { button.tapped.connect(editor, Editor.save) }
    editor = nil
    button.sendActions(for: .primaryActionTriggered)

    #expect(weakEditor == nil)
    #expect(button.tapped.slotCount == 0)
  }

  @Test func `a slot may drop the control that is sending`() {
    final class Form {
      var button: UIButton? = UIButton()
    }
    let form = Form()
    let editor = Editor()
    form.button?.tapped.connect(editor) {
      $0.note("first"); form.button = nil
    }
    form.button?.tapped.connect(editor) { $0.note("second") }
    form.button?.sendActions(for: .primaryActionTriggered)

    #expect(editor.trace == ["first", "second"])
    #expect(form.button == nil)
  }
}
