import Testing

extension Trait where Self == ConditionTrait {
  /// Runs a test in an optimised program only.
  ///
  /// Elsewhere, what a method is called through, and what generic code copies, is on the heap: the
  /// optimiser sees that it need not be.
  static var optimised: Self {
    #if DEBUG
      let isOptimised = false
    #else
      let isOptimised = true
    #endif
    return .enabled(if: isOptimised, "Scripts/check-compiler runs this test, optimised")
  }
}
