import SignalObserver
import Testing
import UIKit

@testable import SignalObserverUI

// The runtime of Apple's systems finds the method by its selector; here it is told.
extension ActionReceiver: Receiving {
  public func perform(_ selector: Selector, with sender: Any?) {
    #expect(selector == ActionReceiver.selector)
    receive(sender)
  }
}

@MainActor @Suite(.serialized) struct ActionTests {
  /// Runs `body`, and returns what a debug build prints meanwhile.
  private func reports(_ body: () -> Void) -> [String] {
    let before = ActionReceiver.report
    defer { ActionReceiver.report = before }
    var lines: [String] = []
    ActionReceiver.report = { lines.append($0) }
    body()
    return lines
  }

  final class Earlier: Receiving {
    var calls = 0
    func perform(_ selector: Selector, with sender: Any?) { calls += 1 }
  }

  @Test func `a bar item's tap calls slots at once`() {
    let item = UIBarButtonItem(title: "Save", style: .plain, target: nil, action: nil)
    var trace: [String] = []
    let lines = reports {
      item.actionSent.connect { () in trace.append("first") }
      item.actionSent.connect { () in trace.append("second") }
    }
    item.tap()

    #expect(trace == ["first", "second"])
    #expect(lines == [])
  }

  @Test func `an action that is replaced is reported, whenever it was set`() {
    let earlier = Earlier()
    let item = UIBarButtonItem(
      title: "Save", style: .plain, target: earlier, action: Selector("save:"))
    var calls = 0
    let first = reports { item.actionSent.connect { () in calls += 1 } }
    item.tap()
    item.target = earlier
    item.action = Selector("print:")
    let second = reports { _ = item.actionSent }
    item.tap()

    #expect(calls == 2)
    #expect(earlier.calls == 0)
    #expect(first.count == 1 && first.allSatisfy { $0.contains("save:") })
    #expect(second.count == 1 && second.allSatisfy { $0.contains("print:") })
  }

  @Test func `a primary action that is sent instead is reported`() {
    let item = UIBarButtonItem(primaryAction: UIAction { _ in })
    var calls = 0
    let lines = reports { item.actionSent.connect { () in calls += 1 } }
    item.tap()

    #expect(calls == 0)
    #expect(lines.count == 1 && lines.allSatisfy { $0.contains("primary action") })
  }

  @Test func `a recognizer sends each change of its state, beside its other targets`() {
    let pan = UIPanGestureRecognizer()
    let other = Earlier()
    pan.addTarget(other, action: Selector("drag:"))
    var states: [UIGestureRecognizer.State] = []
    pan.actionSent.connect(pan) { pan in states.append(pan.state) }
    pan.recognize(.began)
    pan.recognize(.ended)

    #expect(states == [.began, .ended])
    #expect(other.calls == 2)
  }

  @Test func `connections end with the item and the recognizer, which nothing holds`() {
    var item: UIBarButtonItem? = UIBarButtonItem(primaryAction: nil)
    var tap: UITapGestureRecognizer? = UITapGestureRecognizer()
    weak let weakItem = item
    weak let weakTap = tap
    let observers = [
      item?.actionSent.connect { () in }, tap?.actionSent.connect { () in },
    ]
    item = nil
    tap = nil

    #expect(weakItem == nil)
    #expect(weakTap == nil)
    #expect(observers.map { $0?.isCancelled } == [true, true])
  }
}
