// Sets by other names, or by the half that cannot set, and the answer to each.

extension SignalValue {
  /// Refuses a set by the half that cannot set.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "a value is set through its emitter: write name = value, or _name.set(value) in the type that declares it"
  )
  public func set(_ value: Value) {
    fatalError("unavailable")
  }

  /// Refuses another library's name for a set.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "a value is set through its emitter: write name = value, or _name.set(value) in the type that declares it"
  )
  public func send(_ value: Value) {
    fatalError("unavailable")
  }
}

extension EmitterValue {
  /// Refuses another library's name for `set`.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "an emitter of a value sends what is set: write set(…)"
  )
  public func send(_ value: Value) {
    fatalError("unavailable")
  }

  /// Refuses the name by which an emitter without a value sends.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "an emitter of a value sends what is set: write set(…)"
  )
  public func invoke(_ value: Value) {
    fatalError("unavailable")
  }
}
