// Stands in for SwiftUI: what the library, its tests and its examples use, and no more. Each declaration
// has the address of Apple's own, whose signature it has. What `Screen` does is in Screen.swift.

// MARK: - Views

/// https://developer.apple.com/documentation/swiftui/view
@MainActor @preconcurrency public protocol View {
  associatedtype Body: View

  /// https://developer.apple.com/documentation/swiftui/view/body-8kl5o
  @ViewBuilder var body: Body { get }

  /// Draws the view; what Apple's does out of sight.
  func draw(on screen: Screen, at place: String)
}

extension Never: View {
  public var body: Never { fatalError("a view without a body has been asked for it") }
}

/// https://developer.apple.com/documentation/swiftui/viewbuilder
@MainActor @resultBuilder public struct ViewBuilder {
  public static func buildBlock<Content: View>(_ content: Content) -> Content { content }

  public static func buildBlock<each Content: View>(
    _ content: repeat each Content
  ) -> TupleView<(repeat each Content)> {
    TupleView((repeat each content)) { screen, place in
      var index = 0
      for view in repeat each content {
        view.draw(on: screen, at: "\(place).\(index)")
        index += 1
      }
    }
  }

  public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
}

extension Optional: View where Wrapped: View {
  public var body: Never { fatalError("a view without a body has been asked for it") }

  public func draw(on screen: Screen, at place: String) { self?.draw(on: screen, at: "\(place)?") }
}

/// https://developer.apple.com/documentation/swiftui/tupleview
public struct TupleView<T>: View {
  private let drawAll: (Screen, String) -> Void

  init(_ value: T, _ drawAll: @escaping (Screen, String) -> Void) { self.drawAll = drawAll }

  public var body: Never { fatalError("a view without a body has been asked for it") }

  public func draw(on screen: Screen, at place: String) { drawAll(screen, place) }
}

/// https://developer.apple.com/documentation/swiftui/vstack
public struct VStack<Content: View>: View {
  private let content: Content

  /// https://developer.apple.com/documentation/swiftui/vstack/init(alignment:spacing:content:)
  ///
  /// Without the parameters that have a default and are not given.
  public init(@ViewBuilder content: () -> Content) { self.content = content() }

  public var body: Never { fatalError("a view without a body has been asked for it") }

  public func draw(on screen: Screen, at place: String) {
    content.draw(on: screen, at: "\(place)v")
  }
}

/// https://developer.apple.com/documentation/swiftui/text
public struct Text: View {
  let content: String

  /// https://developer.apple.com/documentation/swiftui/text/init(_:)-9d1g4
  public nonisolated init<S: StringProtocol>(_ content: S) { self.content = String(content) }

  public var body: Never { fatalError("a view without a body has been asked for it") }

  public func draw(on screen: Screen, at place: String) { screen.texts.append(content) }
}

/// https://developer.apple.com/documentation/swiftui/button
public struct Button<Label: View>: View {
  private nonisolated let title: String
  private nonisolated let action: @MainActor () -> Void

  public var body: Never { fatalError("a view without a body has been asked for it") }

  public func draw(on screen: Screen, at place: String) { screen.buttons[title] = action }
}

extension Button where Label == Text {
  /// https://developer.apple.com/documentation/swiftui/button/init(_:action:)-lpm7
  @preconcurrency public nonisolated init<S: StringProtocol>(
    _ title: S, action: @escaping @MainActor () -> Void
  ) {
    self.title = String(title)
    self.action = action
  }
}

/// https://developer.apple.com/documentation/swiftui/textfield
public struct TextField<Label: View>: View {
  private nonisolated let title: String
  private nonisolated let text: Binding<String>

  public var body: Never { fatalError("a view without a body has been asked for it") }

  public func draw(on screen: Screen, at place: String) { screen.fields[title] = text }
}

extension TextField where Label == Text {
  /// https://developer.apple.com/documentation/swiftui/textfield/init(_:text:)-2laoi
  public nonisolated init<S: StringProtocol>(_ title: S, text: Binding<String>) {
    self.title = String(title)
    self.text = text
  }
}

// MARK: - Modifiers

/// https://developer.apple.com/documentation/swiftui/viewmodifier
@MainActor @preconcurrency public protocol ViewModifier {
  associatedtype Body: View
  typealias Content = ModifierContent

  /// https://developer.apple.com/documentation/swiftui/viewmodifier/body(content:)
  @ViewBuilder func body(content: Content) -> Body
}

/// What a modifier is given in place of the view.
public struct ModifierContent: View {
  fileprivate let drawContent: (Screen, String) -> Void

  public var body: Never { fatalError("a view without a body has been asked for it") }

  public func draw(on screen: Screen, at place: String) { drawContent(screen, place) }
}

/// https://developer.apple.com/documentation/swiftui/modifiedcontent
public struct ModifiedContent<Content: View, Modifier: ViewModifier>: View {
  let content: Content
  let modifier: Modifier

  public var body: Never { fatalError("a view without a body has been asked for it") }

  public func draw(on screen: Screen, at place: String) {
    screen.install(modifier, at: place)
    let content = ModifierContent { self.content.draw(on: $0, at: "\($1)m") }
    screen.observe { modifier.body(content: content) }.draw(on: screen, at: "\(place)m")
  }
}

extension View {
  /// https://developer.apple.com/documentation/swiftui/view/modifier(_:)
  public func modifier<T: ViewModifier>(_ modifier: T) -> ModifiedContent<Self, T> {
    ModifiedContent(content: self, modifier: modifier)
  }

  /// https://developer.apple.com/documentation/swiftui/view/onappear(perform:)
  public nonisolated func onAppear(perform action: (() -> Void)? = nil) -> some View {
    nonisolated(unsafe) let action = action
    return EventView(content: self) { screen, place in
      if screen.appears("\(place)a") { screen.later { action?() } }
    }
  }

  /// https://developer.apple.com/documentation/swiftui/view/onchange(of:initial:_:)
  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
  public nonisolated func onChange<V: Equatable>(
    of value: V, initial: Bool = false, _ action: @escaping () -> Void
  ) -> some View {
    nonisolated(unsafe) let (value, action) = (value, action)
    return EventView(content: self) { screen, place in
      if screen.changes(value, at: "\(place)c", initial: initial) { screen.later(action) }
    }
  }

  /// https://developer.apple.com/documentation/swiftui/view/onchange(of:perform:)
  @available(macOS, introduced: 11, deprecated: 14)
  @available(iOS, introduced: 14, deprecated: 17)
  @available(tvOS, introduced: 14, deprecated: 17)
  @available(watchOS, introduced: 7, deprecated: 10)
  @available(visionOS, introduced: 1, deprecated: 1)
  public nonisolated func onChange<V: Equatable>(
    of value: V, perform action: @escaping (_ newValue: V) -> Void
  ) -> some View {
    nonisolated(unsafe) let (value, action) = (value, action)
    return EventView(content: self) { screen, place in
      // Of this form, the closure of the body before is called.
      let before = screen.exchange(action, at: "\(place)o")
      if screen.changes(value, at: "\(place)c", initial: false) {
        screen.later { (before ?? action)(value) }
      }
    }
  }
}

/// Made anywhere, as Apple's modifiers are, and used where views are drawn.
private struct EventView<Content: View>: View {
  nonisolated(unsafe) let content: Content
  nonisolated let isDrawn: @MainActor (Screen, String) -> Void

  nonisolated init(content: Content, _ isDrawn: @escaping @MainActor (Screen, String) -> Void) {
    self.content = content
    self.isDrawn = isDrawn
  }

  var body: Never { fatalError("a view without a body has been asked for it") }

  func draw(on screen: Screen, at place: String) {
    content.draw(on: screen, at: "\(place)e")
    isDrawn(screen, place)
  }
}

// MARK: - Data

/// https://developer.apple.com/documentation/swiftui/state
@propertyWrapper public struct State<Value> {
  let link: StateLink

  /// https://developer.apple.com/documentation/swiftui/state/init(wrappedvalue:)
  public init(wrappedValue value: Value) { link = StateLink(StateStorage(value)) }

  /// https://developer.apple.com/documentation/swiftui/state/wrappedvalue
  public var wrappedValue: Value {
    // The storage was made by the initialiser, or for a state of the same place and type.
    get { link.storage.value as! Value }
    nonmutating set { link.storage.set(newValue) }
  }
}

/// https://developer.apple.com/documentation/swiftui/binding
@propertyWrapper public struct Binding<Value> {
  private let get: @isolated(any) @Sendable () -> Value
  private let set: @isolated(any) @Sendable (Value) -> Void

  /// https://developer.apple.com/documentation/swiftui/binding/init(get:set:)-7ufcp
  @preconcurrency public init(
    get: @escaping @isolated(any) @Sendable () -> Value,
    set: @escaping @isolated(any) @Sendable (Value) -> Void
  ) {
    self.get = get
    self.set = set
  }

  /// https://developer.apple.com/documentation/swiftui/binding/wrappedvalue
  public var wrappedValue: Value {
    // As Apple's, it is used where the closures belong.
    get { unsafe unsafeBitCast(get, to: (@Sendable () -> Value).self)() }
    nonmutating set { unsafe unsafeBitCast(set, to: (@Sendable (Value) -> Void).self)(newValue) }
  }
}

extension Binding: Sendable where Value: Sendable {}

// MARK: - Apps

/// https://developer.apple.com/documentation/swiftui/scene
@MainActor @preconcurrency public protocol Scene {
  func draw(on screen: Screen)
}

/// https://developer.apple.com/documentation/swiftui/windowgroup
public struct WindowGroup<Content: View>: Scene {
  private let content: Content

  /// https://developer.apple.com/documentation/swiftui/windowgroup/init(content:)
  public init(@ViewBuilder content: () -> Content) { self.content = content() }

  public func draw(on screen: Screen) { content.draw(on: screen, at: "w") }
}

/// https://developer.apple.com/documentation/swiftui/app
@MainActor @preconcurrency public protocol App {
  associatedtype Body: Scene

  /// https://developer.apple.com/documentation/swiftui/app/body-swift.property
  var body: Body { get }

  /// https://developer.apple.com/documentation/swiftui/app/init()
  init()
}

extension App {
  /// https://developer.apple.com/documentation/swiftui/app/main()
  ///
  /// There is no system here to run the app: a `Screen` shows it.
  public static func main() { print("SwiftUI is stood in for: nothing is shown") }
}
