/// Work that is done one item at a time, in the order in which it was added, by the threads that
/// add it.
///
/// Whoever adds an item while nobody works does it, and what others add meanwhile. Nobody waits: an
/// item that is added during another one, by a slot or by another thread, is done after that one
/// (guarantee 16). What an item does runs outside the lock.
///
/// `@unchecked Sendable`: all state is guarded by the lock. Items of what is not `Sendable` stay in
/// one isolation domain with the source that they belong to.
final class Worklist<Model, Item>: @unchecked Sendable {
  private struct State {
    var model: Model
    var pending: [Item] = []
    var isWorking = false
  }

  private let state: Lock<State>

  init(_ model: Model) {
    state = Lock(State(model: model))
  }

  /// What `look` sees of the model, under the lock.
  func read<Value>(_ look: (Model) -> Value) -> Value {
    state.withLock { look($0.model) }
  }

  /// Changes the model under the lock and adds the item that `change` returns, if any.
  ///
  /// - Parameters:
  ///   - change: Replaces parts of the model, and hands out with the item what it takes from there,
  ///     since a release could run a `deinit` under the lock.
  ///   - work: Does an item, whoever added it.
  func add(_ change: (inout Model) -> Item?, work: (Item) -> Void) {
    let first = state.withLock { state -> Item? in
      guard let item = change(&state.model) else { return nil }
      if state.isWorking {
        state.pending.append(item)
        return nil
      }
      state.isWorking = true
      return item
    }
    guard let first else { return }
    work(first)
    while let batch = takePending() {
      for item in batch { work(item) }
    }
  }

  private func takePending() -> [Item]? {
    state.withLock { state in
      if state.pending.isEmpty {
        state.isWorking = false
        return nil
      }
      let batch = state.pending
      state.pending = []
      return batch
    }
  }
}
