/// A type of another library, with the name of one of ours.
public final class Signal<Element> {
  /// Makes one.
  public init() {}
}
