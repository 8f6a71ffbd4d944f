#if canImport(SwiftUI)
  public import SignalObserver
  public import SwiftUI

  extension View {
    /// Runs `action` on the main actor for everything that `source` sends, for as long as the view
    /// is there.
    ///
    /// ```swift
    /// ScoreView().onSignal(player.scored) { points in total += points }
    /// ```
    ///
    /// It is connected when the view first appears, and ends with the view's state: not when
    /// another view covers it. A source that is an object (``SignalObserver/Signal``,
    /// ``SignalObserver/SignalValue``, ``SignalObserver/SignalReplay``) is connected anew when the
    /// view is given another one. Of a source that is derived by operators nobody can tell whether
    /// it is another one, and the first is kept: ``SwiftUICore/View/onSignal(_:id:perform:)`` takes
    /// what tells it.
    ///
    /// A value sends its current value when it is connected. `action` is always the one of the
    /// newest body.
    ///
    /// - Parameters:
    ///   - source: The source.
    ///   - action: Runs for each payload. Two parameters fit a source with two arguments.
    /// - Returns: The view, with the connection.
    public func onSignal<Source: SignalSource>(
      _ source: Source, perform action: @escaping @MainActor (Source.Payload) -> Void
    ) -> some View where Source.Payload: Sendable {
      let identity = Source.self is AnyObject.Type ? ObjectIdentifier(source as AnyObject) : nil
      return onSignal(source, id: identity, perform: action)
    }

    /// Runs `action` on the main actor for everything that `source` sends, and connects anew when
    /// `id` changes.
    ///
    /// ```swift
    /// SongView(song).onSignal(song.plays.filter { $0 > 9 }, id: song.id) { _ in celebrate() }
    /// ```
    ///
    /// - Parameters:
    ///   - source: The source.
    ///   - id: What tells this source from another one.
    ///   - action: Runs for each payload. Two parameters fit a source with two arguments.
    /// - Returns: The view, with the connection.
    public func onSignal<Source: SignalSource>(
      _ source: Source, id: some Equatable,
      perform action: @escaping @MainActor (Source.Payload) -> Void
    ) -> some View where Source.Payload: Sendable {
      modifier(SignalModifier(source: source, id: id, action: action))
    }
  }

  extension EmitterValue where Value: Sendable {
    /// A binding that reads and sets the value.
    ///
    /// ```swift
    /// TextField("Title", text: model.title.binding)
    /// ```
    ///
    /// A view whose body asks for the binding is drawn again at each set of the value, from
    /// anywhere.
    public var binding: Binding<Value> {
      // Read here, so that the body depends on the value also if it only passes the binding on.
      _ = value
      return Binding(get: { value }, set: { value = $0 })
    }
  }

  private struct SignalModifier<Source: SignalSource, ID: Equatable>: ViewModifier
  where Source.Payload: Sendable {
    let source: Source
    let id: ID
    let action: @MainActor (Source.Payload) -> Void
    @State private var connection = ViewConnection<Source.Payload>()

    func body(content: Content) -> some View {
      connection.action = action
      return
        content
        .onAppear { if !connection.isMade { connection.connect(source) } }
        .onChange(of: id) { connection.connect(source) }
    }
  }

  /// The target of a view's slot, which ends with the view's state.
  @MainActor private final class ViewConnection<Payload: Sendable> {
    var action: (@MainActor (Payload) -> Void)?
    private var observer: SignalObserver?

    var isMade: Bool { observer != nil }

    func connect(_ source: some SignalSource<Payload>) {
      observer?.cancel()
      observer = source.connect(self) { @MainActor connection, payload in
        connection.action?(payload)
      }
    }
  }
#endif
