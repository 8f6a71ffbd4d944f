#if canImport(SwiftUI)
  public import SignalObserver
  public import SwiftUI

  extension View {
    /// Runs `action` on the main actor for each payload of `source`, for as long as the view is
    /// there.
    ///
    /// ```swift
    /// ScoreView().onSignal(player.scored) { points in total += points }
    /// ```
    ///
    /// The connection is made when the view first appears, and ends with the view's state. It stays
    /// while another view covers this one. If the source is an object (``SignalObserver/Signal``,
    /// ``SignalObserver/SignalValue``, ``SignalObserver/SignalReplay``) and the view gets another
    /// one, the other one is connected instead. Sources that are derived by operators cannot be
    /// compared, so the view keeps the first one. For such a source,
    /// ``SwiftUICore/View/onSignal(_:id:perform:)`` takes an identity.
    ///
    /// A value sends its current value when it is connected. The newest body always gives the
    /// `action`.
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

    /// Runs `action` on the main actor for each payload of `source`, and connects anew when `id`
    /// changes.
    ///
    /// ```swift
    /// SongView(song).onSignal(song.plays.filter { $0 > 9 }, id: song.id) { _ in celebrate() }
    /// ```
    ///
    /// - Parameters:
    ///   - source: The source.
    ///   - id: The identity of the source.
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
    /// A view whose body asks for the binding is drawn again whenever the value is set, on any
    /// thread.
    public var binding: Binding<Value> {
      // This read makes the body depend on the value, even if the body only passes the binding on.
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
