import Testing

/// Beside the other tests, a suite waits for its turn by the trait of this name; here, few tests run.
struct Unqueued: SuiteTrait, TestTrait {}

extension Trait where Self == Unqueued {
  static var inTurn: Self { Self() }
}
