import Observation

/// Draws views, and draws them again when what their bodies have read has changed.
///
/// It keeps what makes SwiftUI's views live: the state of each place, for as long as there is a view at
/// it; what has appeared; and what `onChange` saw last. A place is where a view is in the tree.
@MainActor public final class Screen {
  /// The texts, from top to bottom.
  public internal(set) var texts: [String] = []
  /// The buttons, by title.
  public internal(set) var buttons: [String: @MainActor () -> Void] = [:]
  /// The text fields, by title.
  public internal(set) var fields: [String: Binding<String>] = [:]
  /// How often the views have been drawn.
  public private(set) var drawings = 0

  private let drawRoot: (Screen) -> Void
  private var isOutdated = false
  private var isAppearing = false
  private var kept: [String: Any] = [:]
  private var seen: [String: Any] = [:]
  private var actions: [() -> Void] = []

  /// Shows a view.
  public convenience init(_ view: @escaping () -> some View) {
    self.init(drawing: { view().draw(on: $0, at: "r") })
  }

  /// Shows an app's scene.
  public convenience init(_ app: some App) {
    self.init(drawing: { screen in screen.observe { app.body }.draw(on: screen) })
  }

  private init(drawing drawRoot: @escaping (Screen) -> Void) {
    self.drawRoot = drawRoot
    redraw()
  }

  /// Draws again if something has changed, until nothing has.
  public func update() {
    while isOutdated { redraw() }
  }

  /// Draws again.
  public func redraw() {
    isOutdated = false
    drawings += 1
    texts = []
    buttons = [:]
    fields = [:]
    seen = [:]
    drawRoot(self)
    // What is not there any more is forgotten, states included.
    kept = seen
    let due = actions
    actions = []
    for action in due { action() }
  }

  /// Lets every view appear again, with its state, as behind a tab that was chosen before.
  public func appearAgain() {
    isAppearing = true
    redraw()
    isAppearing = false
  }

  // MARK: - What views use

  /// Runs `body` as that of a view: what it reads, the screen follows.
  func observe<Result>(_ body: () -> Result) -> Result {
    withObservationTracking(body) { [weak self] in
      // The tests set values on the main actor.
      MainActor.assumeIsolated { self?.isOutdated = true }
    }
  }

  /// Gives the states of `value`, a view or a modifier, what is kept for their place.
  func install(_ value: Any, at place: String) {
    for child in Mirror(reflecting: value).children {
      guard let state = child.value as? any LinkedState, let label = child.label else { continue }
      let key = "\(place)/\(label)"
      if let storage = kept[key] as? StateStorage { state.link.storage = storage }
      state.link.storage.isSet = { [weak self] in self?.isOutdated = true }
      seen[key] = state.link.storage
    }
  }

  func appears(_ place: String) -> Bool {
    seen[place] = true
    return isAppearing || kept[place] == nil
  }

  func changes<Value: Equatable>(_ value: Value, at place: String, initial: Bool) -> Bool {
    seen[place] = value
    // In two steps: a missing value would be cast to an optional type, too.
    guard let kept = kept[place], let before = kept as? Value else { return initial }
    return before != value
  }

  /// Keeps `value` for the next drawing, and returns what the last one has kept.
  func exchange<Value>(_ value: Value, at place: String) -> Value? {
    seen[place] = value
    return kept[place] as? Value
  }

  /// Runs `action` when everything is drawn.
  func later(_ action: @escaping () -> Void) { actions.append(action) }
}

extension View {
  /// Draws a view that has a body.
  public func draw(on screen: Screen, at place: String) {
    screen.install(self, at: place)
    screen.observe { body }.draw(on: screen, at: "\(place)b")
  }
}

/// Used on the main actor, as views are.
final class StateStorage {
  private(set) var value: Any
  var isSet: () -> Void = {}

  init(_ value: Any) { self.value = value }

  func set(_ value: Any) {
    self.value = value
    isSet()
  }
}

/// Used on the main actor, as views are.
final class StateLink {
  var storage: StateStorage

  init(_ storage: StateStorage) { self.storage = storage }
}

protocol LinkedState {
  var link: StateLink { get }
}

extension State: LinkedState {}
