// Values, and a form that follows them.
//
//     swift run signup [--wiring]

import SignalObserver

/// What the user types, and what follows from it.
@MainActor final class Form {
  @EmitterValue var name = ""
  @EmitterValue var password = ""

  /// What is wrong, or nil.
  ///
  /// A source is derived, and stores nothing.
  var problem: some SignalSource<String?> {
    combineLatest($name, $password)
      .map { name, password in
        if name.isEmpty { return "Enter a name." }
        return password.count < 8 ? "The password is too short." : nil
      }
      .removeDuplicates()
  }
}

/// Stand for the controls of a window.
@MainActor final class Label {
  var text: String? {
    didSet { print("label: \(text ?? "-")") }
  }
}

@MainActor final class Button {
  var isEnabled = true {
    didSet { print("button: \(isEnabled ? "on" : "off")") }
  }
}

let form = Form()
let label = Label()
let button = Button()

// Both are set at once, to what holds now, and then whenever it changes.
form.problem.bind(to: \.text, of: label)
form.problem.map { $0 == nil }.removeDuplicates().bind(to: \.isEnabled, of: button)

print("> the name")
form.name = "Kim"
print("> the password")
form.password = "secret"
form.password = "secret words"

// Old and new, from now on.
form.$name.changes.connect { old, new in print("renamed: \(old) to \(new)") }
print("> another name")
form.name = "Lee"

if CommandLine.arguments.contains("--wiring") {
  let wiring = Wiring(of: form, label, button)
  print(wiring, wiring.mermaid, wiring.dot, separator: "\n\n")
}
