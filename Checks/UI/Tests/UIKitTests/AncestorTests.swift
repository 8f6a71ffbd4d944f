import Dispatch
import Snippets
import SignalObserver
import SignalObserverUI
import Testing
import UIKit

/// The rows of the ancestors that are about UIKit, and their UIKit examples in our spelling.
///
/// Names begin with the row, as in Tests/SignalObserverTests/Ancestors.
@MainActor @Suite struct AncestorTests {
  /// A view controller as Pharos' introduction has one.
  final class ViewController: UIViewController {
    let textField = UITextField()
    let button = UIButton()
    let label = UILabel()
    @EmitterValue var text: String = ""
    var trace: [String] = []

    // The emitter, for bonds; `text` and `$text` are what others use.
    var textEmitter: EmitterValue<String> { _text }

    func note(_ old: String, _ new: String) { trace.append("\(old) > \(new)") }

    func type(_ text: String) {
      textField.text = text
      textField.sendActions(for: .editingChanged)
    }
  }

  @Test func `a connection lives as long as the control that it is from`() {
    var button: UIButton? = UIButton()
    let observer = button?.tapped.connect { () in }
    #expect(observer?.isCancelled == false)
    button = nil

    #expect(observer?.isCancelled == true)
  }

  @Test func `or as long as any view that it is retained by`() {
    let button = UIButton()
    var label: UILabel? = UILabel()
    if let label { button.tapped.connect(label) { $0.text = "tapped" } }
    #expect(button.tapped.slotCount == 1)
    label = nil

    #expect(button.tapped.slotCount == 0)
  }

  @Test func `a view's property is a value with a getter and a setter`() {
    let label = UILabel()
    let title = EmitterValue(of: label)
    #expect(title.value == nil)
    title.value = "set"

    #expect(label.text == "set")
    #expect(title.value == "set")
  }

  @Test func `a field and a text follow each other, and each change is told once`() {
    let controller = ViewController()
    controller.textEmitter.bond(givingTo: controller.textField.emitterValue)
    controller.$text.changes.connect(controller, ViewController.note)
    controller.text = "set"
    #expect(controller.textField.text == "set")
    controller.type("typed")

    #expect(controller.text == "typed")
    #expect(controller.trace == [" > set", "set > typed"])
  }

  @Test func `a bond that begins with mine sets the field at once`() {
    let controller = ViewController()
    controller.text = "mine"
    controller.textField.text = "theirs"
    controller.textEmitter.bond(givingTo: controller.textField.emitterValue)

    #expect(controller.textField.text == "mine")
  }

  @Test func `a bond that begins with theirs sets the text at once`() {
    let controller = ViewController()
    controller.textField.text = "theirs"
    controller.textEmitter.bond(takingFrom: controller.textField.emitterValue)

    #expect(controller.text == "theirs")
  }

  @Test func `what a field shows is followed without a text of one's own`() {
    let controller = ViewController()
    controller.textField.emitterValue.signal.changes.connect(controller, ViewController.note)
    controller.type("typed")

    #expect(controller.trace == [" > typed"])
  }

  @Test func `a value is relayed to a property of a view, one way`() {
    let button = UIButton()
    let isBusy = EmitterValue(true)
    isBusy.signal.bind(to: \.isHidden, of: button)
    #expect(button.isHidden)
    button.isHidden = false

    #expect(isBusy.value)
  }

  @Test func `a slot that is retained by the field ends with it`() {
    let controller = ViewController()
    var field: UITextField? = UITextField()
    let value = field?.emitterValue
    let text = controller.textEmitter
    if let value, let field {
      text.bond(givingTo: value)
      text.signal.connect(field) { field, text in field.text = text }
    }
    #expect(text.signal.slotCount == 2)
    field = nil

    #expect(text.signal.slotCount == 1)
  }

  @Test func `a label follows a text, and relaying stops when the label is gone`() {
    let controller = ViewController()
    var label: UILabel? = UILabel()
    if let label { controller.$text.bind(to: \.text, of: label) }
    controller.text = "set"
    #expect(label?.text == "set")
    label = nil

    #expect(controller.$text.slotCount == 0)
  }

  @Test func `events of a control are signals`() {
    let controller = ViewController()
    controller.button.tapped.connect(controller) { $0.trace.append("tapped") }
    controller.button.signal(for: .touchUpInside).connect(controller) { $0.trace.append("up") }
    controller.button.sendActions(for: [.touchUpInside])
    controller.button.sendActions(for: [.primaryActionTriggered])

    #expect(controller.trace == ["up", "tapped"])
  }

  @Test func `a view model's text is shown until the controller is gone`() {
    final class Clock {
      @EmitterValue private(set) var time = "4:20 PM"
      func tick() { time = "4:21 PM" }
    }
    final class ClockController: UIViewController {
      let label = UILabel()
      var clock: Clock?
      override func viewDidLoad() { clock?.$time.bind(to: \.text, of: label) }
    }
    let clock = Clock()
    var controller: ClockController? = ClockController()
    controller?.clock = clock
    controller?.loadViewIfNeeded()
    #expect(controller?.label.text == "4:20 PM")
    clock.tick()
    #expect(controller?.label.text == "4:21 PM")
    weak let label = controller?.label
    controller = nil
    clock.tick()

    #expect(label == nil)
    #expect(clock.$time.slotCount == 0)
  }

  @Test func `I8: a view controller follows its model from viewDidLoad on`() async {
    final class CounterController: UIViewController {
      @EmitterValue var count = 0
      let label = UILabel()
      override func viewDidLoad() { track(self, CounterController.render) }
      private func render() { label.text = "\(count)" }
    }
    let controller = CounterController()
    controller.loadViewIfNeeded()
    #expect(controller.label.text == "0")
    controller.count = 1
    controller.count = 2
    await withCheckedContinuation { continuation in
      DispatchQueue.main.async { continuation.resume() }
    }

    #expect(controller.label.text == "2")
  }
}

extension EmitterValue<String?> {
  /// The text of a label, as Pharos has one for each property of every view.
  @MainActor fileprivate init(of label: UILabel) {
    self.init(
      get: { MainActor.assumeIsolated { label.text } },
      set: { text in MainActor.assumeIsolated { label.text = text } })
  }
}
