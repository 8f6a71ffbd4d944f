import AppKit
import Foundation
import SignalObserver
import Testing

@testable import SignalObserverUI

// The runtime of Apple's systems finds the method by its selector; here it is told.
extension ActionReceiver: Receiving {
  public func perform(_ selector: Selector, with sender: Any?) {
    #expect(selector == ActionReceiver.selector)
    receive(sender)
  }
}

@MainActor @Suite(.serialized) struct AppKitTests {
  @Test func `a control's action calls slots at once`() {
    let button = NSButton()
    var trace: [String] = []
    button.tapped.connect { () in trace.append("first") }
    button.actionSent.connect { () in trace.append("second") }
    button.performClick(nil)

    #expect(trace == ["first", "second"])
    #expect(button.tapped === button.actionSent)
  }

  @Test func `menu items, toolbar items and recognizers send their actions`() {
    let (item, tool, click) = (NSMenuItem(), NSToolbarItem(), NSGestureRecognizer())
    var trace: [String] = []
    item.actionSent.connect { () in trace.append("menu") }
    tool.actionSent.connect { () in trace.append("toolbar") }
    click.actionSent.connect { () in trace.append("click") }
    item.choose()
    tool.click()
    click.recognize()

    #expect(trace == ["menu", "toolbar", "click"])
  }

  @Test func `an action that a storyboard has set is replaced, and a debug build says so`() {
    let before = ActionReceiver.report
    defer { ActionReceiver.report = before }
    var lines: [String] = []
    ActionReceiver.report = { lines.append($0) }
    let (button, plain) = (NSButton(), NSButton())
    button.action = Selector("save:")
    for _ in 1...2 { _ = (button.actionSent, plain.actionSent) }

    #expect(
      lines.count == 1 && lines.allSatisfy { $0.contains("save:") && $0.contains("NSButton") })
    #expect(button.action == ActionReceiver.selector)
  }

  @Test func `each edit of a text view sets its value`() {
    let view = NSTextView()
    var trace: [String] = []
    view.emitterValue.signal.connect { text in trace.append(text) }
    view.edit("a")
    NSTextView().edit("not this one")
    view.emitterValue.value = "b"

    #expect(trace == ["", "a", "b"])
    #expect(view.string == "b")
  }

  @Test func `a search field is followed when it is edited and when it is emptied`() {
    let field = NSSearchField()
    var trace: [String] = []
    field.emitterValue.signal.connect { text in trace.append(text) }
    field.edit("a")
    field.empty()

    #expect(trace == ["", "a", ""])
  }

  @Test func `what a cell connects for one use ends with the next`() {
    let titles = [EmitterValue("Dune"), EmitterValue("Solaris")]
    let (cell, field) = (NSView(), NSTextField())
    for title in titles {
      title.signal.bind(to: \.stringValue, of: field).store(in: cell.beginUse())
    }
    titles[0].value = "late"

    #expect(field.stringValue == "Solaris")
    #expect(titles.map(\.signal.slotCount) == [0, 1])
  }

  @Test func `every kind of control has its value in both directions`() {
    func check<Value: Equatable & Sendable, Control: NSControl>(
      _ control: Control, _ emitter: EmitterValue<Value>,
      _ property: ReferenceWritableKeyPath<Control, Value>, shows: Value, user: Value
    ) {
      emitter.value = shows
      #expect(control[keyPath: property] == shows)
      control[keyPath: property] = user
      control.performClick(nil)
      #expect(emitter.value == user)
    }
    let (slider, stepper, segments) = (NSSlider(), NSStepper(), NSSegmentedControl())
    let (picker, level, toggle) = (NSDatePicker(), NSLevelIndicator(), NSSwitch())
    let (early, late) = (Date(timeIntervalSince1970: 1), Date(timeIntervalSince1970: 2))

    check(slider, slider.emitterValue, \.doubleValue, shows: 0.25, user: 0.75)
    check(stepper, stepper.emitterValue, \.doubleValue, shows: 3, user: 4)
    check(segments, segments.emitterValue, \.selectedSegment, shows: 1, user: 2)
    check(picker, picker.emitterValue, \.dateValue, shows: early, user: late)
    check(level, EmitterValue(\.integerValue, of: level), \.integerValue, shows: 1, user: 2)
    toggle.emitterValue.value = true
    #expect(toggle.state == .on)
    toggle.state = .off
    toggle.performClick(nil)
    #expect(toggle.emitterValue.value == false)
  }

  @Test func `each edit of a field sets its value, and leaves its target alone`() {
    let field = NSTextField()
    let other = NSTextField()
    var trace: [String] = []
    field.emitterValue.signal.connect { text in trace.append(text) }
    field.edit("a")
    other.edit("not this one")
    field.emitterValue.value = "b"

    #expect(trace == ["", "a", "b"])
    #expect(field.stringValue == "b")
    #expect(field.target == nil)
  }

  @Test func `the text of a field by its action and by its edits are two values`() {
    for isActionFirst in [true, false] {
      let field = NSTextField()
      if isActionFirst { _ = EmitterValue(\.stringValue, of: field) }
      let edited = field.emitterValue
      #expect((field.target == nil) == !isActionFirst)
      let sent = EmitterValue(\.stringValue, of: field)
      field.edit("a")
      #expect(edited.value == "a")
      #expect(sent.value == "")
      field.performClick(nil)
      #expect(sent.value == "a")
    }
  }

  @Test func `connections end with the control, which nothing holds`() {
    var slider: NSSlider? = NSSlider()
    var field: NSTextField? = NSTextField()
    weak let weakSlider = slider
    weak let weakField = field
    weak let weakSignal = field?.emitterValue.signal
    let observers = [
      slider?.emitterValue.signal.connect { _ in }, slider?.actionSent.connect { () in },
      field?.emitterValue.signal.connect { _ in },
    ]
    slider = nil
    field = nil

    #expect(weakSlider == nil)
    #expect(weakField == nil)
    #expect(weakSignal == nil)
    #expect(observers.map { $0?.isCancelled } == [true, true, true])
  }
}
