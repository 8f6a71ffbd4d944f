#if canImport(SwiftUI)
  public import SignalObserver
  public import SwiftUI

  extension View {
    /// Runs `action` on the main actor for each payload of `source`, for as long as the view is
    /// there.
    ///
    /// ```swift
    /// Text(news).onSignal(game.scored) { score in news = "Goal! \(score)" }
    /// ```
    ///
    /// The connection is made when the view first appears, and ends with the view's state. It stays
    /// while another view covers this one. If the source is an object (``SignalObserver/Signal``,
    /// ``SignalObserver/SignalValue``, ``SignalObserver/SignalReplay``) and the view gets another
    /// one, the other one is connected instead. Sources that are derived by operators cannot be
    /// compared, so the view keeps the first one. For such a source, give its identity:
    /// `onSignal(source, id: song.id) { … }`.
    ///
    /// A value sends its current value when it is connected. The newest body always gives the
    /// `action`.
    ///
    /// It needs macOS 11, iOS 14, tvOS 14 or watchOS 7, where `onChange` begins. On older systems,
    /// connect in the model.
    ///
    /// - Parameters:
    ///   - source: The source.
    ///   - action: Runs for each payload. Two parameters fit a source with two arguments.
    /// - Returns: The view, with the connection.
    @available(macOS 11, iOS 14, tvOS 14, watchOS 7, visionOS 1, *)
    public func onSignal<Source: SignalSource>(
      _ source: Source, perform action: @escaping @MainActor (Source.Payload) -> Void
    ) -> some View where Source.Payload: Sendable {
      let identity = Source.self is AnyObject.Type ? ObjectIdentifier(source as AnyObject) : nil
      return onSignal(source, id: identity, perform: action)
    }

    /// Runs `action` on the main actor for each payload of `source`, and connects anew when `id`
    /// changes.
    ///
    /// ```swift
    /// Text("\(hits)")
    ///   .onSignal(game.scored.filter { $0 > 9 }, id: round) { _ in hits += 1 }
    /// ```
    ///
    /// It needs macOS 11, iOS 14, tvOS 14 or watchOS 7, where `onChange` begins.
    ///
    /// - Parameters:
    ///   - source: The source.
    ///   - id: The identity of the source.
    ///   - action: Runs for each payload. Two parameters fit a source with two arguments.
    /// - Returns: The view, with the connection.
    @available(macOS 11, iOS 14, tvOS 14, watchOS 7, visionOS 1, *)
    public func onSignal<Source: SignalSource>(
      _ source: Source, id: some Equatable,
      perform action: @escaping @MainActor (Source.Payload) -> Void
    ) -> some View where Source.Payload: Sendable {
      modifier(SignalModifier(source: source, id: id, action: .inline(action)))
    }

    /// Runs an asynchronous `action` on the main actor for each payload of `source`, one after the
    /// other, for as long as the view is there.
    ///
    /// ```swift
    /// GameView(game: game)
    ///   .onSignal(game.scored) { score in await archive.add(score) }
    /// ```
    ///
    /// As with the synchronous form, the connection is made when the view first appears, and
    /// another source takes its place. A call begins when the one before has returned. What is sent
    /// meanwhile is kept, in order. When the view's state ends, the call in progress is cancelled,
    /// as a task is, and what was kept is dropped.
    ///
    /// It needs macOS 11, iOS 14, tvOS 14 or watchOS 7, where `onChange` begins.
    ///
    /// - Parameters:
    ///   - source: The source.
    ///   - asyncAction: Runs for each payload. Two parameters fit a source with two arguments.
    /// - Returns: The view, with the connection.
    @available(macOS 11, iOS 14, tvOS 14, watchOS 7, visionOS 1, *)
    public func onSignal<Source: SignalSource>(
      _ source: Source, perform asyncAction: @escaping @MainActor (Source.Payload) async -> Void
    ) -> some View where Source.Payload: Sendable {
      let identity = Source.self is AnyObject.Type ? ObjectIdentifier(source as AnyObject) : nil
      return onSignal(source, id: identity, perform: asyncAction)
    }

    /// Runs an asynchronous `action` on the main actor for each payload of `source`, one after the
    /// other, and connects anew when `id` changes.
    ///
    /// The call in progress is then cancelled, and the first for the other source begins when it
    /// has returned.
    ///
    /// It needs macOS 11, iOS 14, tvOS 14 or watchOS 7, where `onChange` begins.
    ///
    /// - Parameters:
    ///   - source: The source.
    ///   - id: The identity of the source.
    ///   - asyncAction: Runs for each payload. Two parameters fit a source with two arguments.
    /// - Returns: The view, with the connection.
    @available(macOS 11, iOS 14, tvOS 14, watchOS 7, visionOS 1, *)
    public func onSignal<Source: SignalSource>(
      _ source: Source, id: some Equatable,
      perform asyncAction: @escaping @MainActor (Source.Payload) async -> Void
    ) -> some View where Source.Payload: Sendable {
      modifier(SignalModifier(source: source, id: id, action: .task(asyncAction)))
    }
  }

  extension EmitterValue where Value: Sendable {
    /// A binding that reads and sets the value.
    ///
    /// ```swift
    /// TextField("Player", text: game.player.binding)  // reads and sets
    /// ```
    ///
    /// A view whose body asks for the binding is drawn again whenever the value is set, on any
    /// thread.
    public var binding: Binding<Value> {
      // This read makes the body depend on the value, even if the body only passes the binding on.
      _ = value
      return Binding(get: { value }, set: { value = $0 })
    }
  }

  /// What a view does with a payload.
  private enum ViewAction<Payload> {
    case inline(@MainActor (Payload) -> Void)
    case task(@MainActor (Payload) async -> Void)
  }

  @available(macOS 11, iOS 14, tvOS 14, watchOS 7, visionOS 1, *)
  private struct SignalModifier<Source: SignalSource, ID: Equatable>: ViewModifier
  where Source.Payload: Sendable {
    let source: Source
    let id: ID
    let action: ViewAction<Source.Payload>
    @State private var connection = ViewConnection<Source.Payload>()

    func body(content: Content) -> some View {
      connection.action = action
      // Not `self`, which has the connection.
      connection.connectNewest = { [source] connection in connection.connect(source) }
      return
        content
        .onAppear { if !connection.isMade { connection.connectNewest?(connection) } }
        // This form exists from iOS 14 on. visionOS begins with the form that replaces it. This one
        // calls the closure of the body before, which has the source before.
        #if os(visionOS)
          .onChange(of: id) { connection.connectNewest?(connection) }
        #else
          .onChange(of: id) { _ in connection.connectNewest?(connection) }
        #endif
    }
  }

  /// The target of a view's slot, which ends with the view's state.
  @MainActor private final class ViewConnection<Payload: Sendable> {
    var action: ViewAction<Payload>?
    /// Connects the source of the newest body.
    var connectNewest: ((ViewConnection) -> Void)?
    private(set) var isMade = false
    private var observer: SignalObserver?
    private var task: Task<Void, Never>?
    private var values: SignalValues<Payload>?

    // A call in progress may not look at its cancellation, so the sequence ends, too.
    deinit {
      values?.cancel()
      task?.cancel()
    }

    func connect(_ source: some SignalSource<Payload>) {
      isMade = true
      observer?.cancel()
      values?.cancel()
      task?.cancel()
      if case .task = action {
        let (values, before) = (source.values, task)
        self.values = values
        // Weak, because this object owns the task. A strong reference would keep both until the
        // source ends.
        task = Task { [weak self] in
          // One call at a time, also of two sources.
          await before?.value
          for await payload in values {
            guard case .task(let action) = self?.action else { return }
            await action(payload)
          }
        }
      } else {
        observer = source.connect(self) { @MainActor connection, payload in
          if case .inline(let action) = connection.action { action(payload) }
        }
      }
    }
  }
#endif
