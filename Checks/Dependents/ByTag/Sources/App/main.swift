import Dispatch
import SignalObserver

final class Door {
  @EmitterValue private(set) var isOpen = false

  func open() { isOpen = true }
}

let door = Door()
door.$isOpen.removeDuplicates().connect(on: .inline) { print("open:", $0) }
door.$isOpen.connect { @MainActor isOpen in print("main:", isOpen) }
door.open()
DispatchQueue.main.async { exit() }
dispatchMain()
