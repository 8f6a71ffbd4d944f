import Dispatch
import Foundation
import SignalObserver
import SignalObserverUI
import Testing
import UIKit

@MainActor @Suite struct ControlValueTests {
  @Test func `what the user types sets the value`() {
    let field = UITextField()
    var trace: [String] = []
    field.emitterValue.signal.connect { text in trace.append(text) }
    field.text = "a"
    field.sendActions(for: .editingChanged)
    field.text = nil
    field.sendActions(for: .editingChanged)

    #expect(trace == ["", "a", ""])
  }

  @Test func `setting the value shows it, and the field is set once`() {
    final class Field: UITextField {
      var sets = 0
      override var text: String? { didSet { sets += 1 } }
    }
    let field = Field()
    field.emitterValue.value = "title"
    field.emitterValue.value = "title"
    #expect(field.text == "title")
    #expect(field.sets == 1)
  }

  @Test func `the value begins with what the control shows, and stays the same value`() {
    let slider = UISlider()
    slider.value = 0.5
    let first = slider.emitterValue
    first.value = 0.25

    #expect(slider.emitterValue.signal === first.signal)
    #expect(slider.value == 0.25)
    #expect(slider.actionCount == 1)
  }

  @Test func `every kind of control has its value in both directions`() {
    func check<Value: Equatable & Sendable, Control: UIControl>(
      _ control: Control, _ emitter: EmitterValue<Value>,
      _ property: ReferenceWritableKeyPath<Control, Value>, shows: Value, user: Value
    ) {
      emitter.value = shows
      #expect(control[keyPath: property] == shows)
      control[keyPath: property] = user
      control.sendActions(for: .valueChanged)
      #expect(emitter.value == user)
    }
    let (toggle, slider, stepper) = (UISwitch(), UISlider(), UIStepper())
    let (segments, picker, pages) = (UISegmentedControl(), UIDatePicker(), UIPageControl())
    let (early, late) = (Date(timeIntervalSince1970: 1), Date(timeIntervalSince1970: 2))

    check(toggle, toggle.emitterValue, \.isOn, shows: true, user: false)
    check(slider, slider.emitterValue, \.value, shows: 0.25, user: 0.75)
    check(stepper, stepper.emitterValue, \.value, shows: 3, user: 4)
    check(segments, segments.emitterValue, \.selectedSegmentIndex, shows: 1, user: 2)
    check(picker, picker.emitterValue, \.date, shows: early, user: late)
    check(pages, EmitterValue(\.currentPage, of: pages), \.currentPage, shows: 5, user: 6)
  }

  @Test func `each edit of a text view sets its value, and setting the value shows it`() {
    let (view, other) = (UITextView(), UITextView())
    var trace: [String] = []
    view.emitterValue.signal.connect { text in trace.append(text) }
    view.edit("a")
    other.edit("not this one")
    view.emitterValue.value = "b"

    #expect(trace == ["", "a", "b"])
    #expect(view.text == "b")
    #expect(view.emitterValue.signal.slotCount == 2)
  }

  @Test func `nothing holds a text view, and its value ends with it`() {
    var view: UITextView? = UITextView()
    weak let weakView = view
    let observer = view?.emitterValue.signal.connect { _ in }
    view = nil

    #expect(weakView == nil)
    #expect(observer?.isCancelled == true)
  }

  @Test func `a search bar has the text of its field`() {
    let bar = UISearchBar()
    bar.searchTextField.text = "typed"
    let value = bar.emitterValue
    bar.searchTextField.text = "more"
    bar.searchTextField.sendActions(for: .editingChanged)

    #expect(value.value == "more")
  }

  @Test func `a control that cannot show a value does not change it`() {
    let slider = UISlider()
    slider.emitterValue.value = 5

    #expect(slider.value == 1)
    #expect(slider.emitterValue.value == 5)
  }

  @Test func `a value that another thread sets is shown on the main actor`() async {
    let field = UITextField()
    let value = field.emitterValue
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        value.value = "from elsewhere"
        DispatchQueue.main.async { continuation.resume() }
      }
    }

    #expect(field.text == "from elsewhere")
  }

  @Test func `an older value that arrives late does not take back what the user has typed since`()
    async
  {
    final class Field: UITextField {
      var shown: [String?] = []
      override var text: String? { didSet { shown.append(text) } }
    }
    let field = Field()
    let value = field.emitterValue
    // The main actor is busy here, so what the other thread sets is pending.
    DispatchQueue.global().sync { value.value = "older" }
    field.text = "typed"
    field.sendActions(for: .editingChanged)
    await withCheckedContinuation { continuation in
      DispatchQueue.main.async { continuation.resume() }
    }

    #expect(value.value == "typed")
    #expect(field.shown == ["typed"])
  }

  @Test func `a field and a model are bound in both directions`() {
    let field = UITextField()
    let title = EmitterValue("News")
    title.bond(givingTo: field.emitterValue)
    #expect(field.text == "News")
    field.text = "Today"
    field.sendActions(for: .editingChanged)
    #expect(title.value == "Today")
    title.value = "Later"

    #expect(field.text == "Later")
  }

  @Test func `nothing holds the control, and a value that is kept outlives it`() {
    var field: UITextField? = UITextField()
    weak let weakField = field
    let title = EmitterValue("News")
    let value = field?.emitterValue
    if let value { title.bond(givingTo: value) }
    field = nil
    value?.value = "kept"

    #expect(weakField == nil)
    #expect(value?.value == "kept")
    #expect(title.value == "kept")
    #expect(value?.signal.slotCount == 1)
  }

  @Test func `a value that nobody keeps ends with its control`() {
    var field: UITextField? = UITextField()
    let signal = field?.emitterValue.signal
    let observer = signal?.connect { _ in }
    field = nil

    #expect(observer?.isCancelled == true)
    #expect(signal?.slotCount == 0)
  }

  @Test func `views are sinks`() {
    let label = UILabel()
    let slider = UISlider()
    slider.emitterValue.signal.map { "\(Int($0 * 100)) %" }.bind(to: \.text, of: label)
    slider.value = 0.5
    slider.sendActions(for: .valueChanged)

    #expect(label.text == "50 %")
  }
}
