// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A defect of Swift 6.3, shown by `swiftc -swift-version 6`: the program should print "true" twice.
@globalActor public actor First { public static let shared = First() }
@globalActor public actor Second { public static let shared = Second() }
public final class Target: Sendable {
  @First public func first(_ number: Int) {}
  @Second public func second(_ number: Int) {}
}
func place(of method: @Sendable (Target) -> @isolated(any) (Int) -> Void) -> (any Actor)? {
  method(Target()).isolation
}
print(place(of: Target.first) === First.shared, place(of: Target.second) === Second.shared)
