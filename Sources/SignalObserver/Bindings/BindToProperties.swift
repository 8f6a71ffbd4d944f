public import Dispatch

extension SignalSource where Payload: Sendable {
  /// Sets a property of `object` to each payload.
  ///
  /// If the source is a value, the property is first set to the current value. To do more than set
  /// a property, connect a method or a closure.
  ///
  /// ```swift
  /// model.$title.bind(to: \.text, of: label)  // held weakly
  /// ```
  ///
  /// The property is set where `connect` would call a method: on the isolation of the caller, or
  /// else on the main queue. A newer payload replaces one that waits there. This is a limit:
  /// ``buffering(_:)`` says where operators before it run. The property is read first, and a
  /// payload that equals it sets nothing, if the two can be compared. So circles of bindings end,
  /// but for those of parts of values that never agree, such as NaN. <doc:Values> has the exact
  /// rule. The connection holds `object` weakly, and ends with it.
  ///
  /// - Parameters:
  ///   - property: The property. An optional property fits a payload that is not optional.
  ///   - object: The object whose property is set.
  ///   - isolation: The isolation of the caller. Leave it out: the compiler fills it in.
  ///   - fileID: The file of the caller, for the debug description of the signal.
  ///   - line: The line of the caller, for the debug description of the signal.
  /// - Returns: The handle of the connection.
  /// - Complexity: That of one `connect`. Each set of the property allocates once, as any that
  ///   Swift makes through a key path.
  @inlinable @discardableResult
  public func bind<Object: AnyObject>(
    to property: ReferenceWritableKeyPath<Object, Payload>, of object: Object,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    pass(to: property, of: object, RequestedPlace(isolation: isolation), fileID, line) { $0 }
  }

  /// Sets an optional property of `object` to each payload.
  ///
  /// Everything else is as for a property that is not optional.
  @inlinable @discardableResult
  public func bind<Object: AnyObject>(
    to property: ReferenceWritableKeyPath<Object, Payload?>, of object: Object,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    pass(to: property, of: object, RequestedPlace(isolation: isolation), fileID, line) { $0 }
  }

  /// Sets a property of `object` to each payload, on `queue`; with `.inline`, on the emitting
  /// thread.
  ///
  /// On a queue, the property is always set later ([guarantee 13](doc:Guarantees)). The
  /// compiler refuses a property of the main actor, because its key path is not `Sendable`: use the
  /// form without a queue for such a property. Everything else is as for that form.
  ///
  /// > Important: The property is set on `queue`, or on the emitting thread, wherever it is bound.
  /// If the class is not `Sendable`, you promise that nobody uses the object elsewhere at that
  /// time. The compiler does not check it.
  @inlinable @discardableResult
  public func bind<Object: AnyObject>(
    to property: any ReferenceWritableKeyPath<Object, Payload> & Sendable, of object: Object,
    on queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    pass(to: property, of: object, RequestedPlace(queue: queue), fileID, line) { $0 }
  }

  /// Sets an optional property of `object` to each payload, on `queue`; with `.inline`, on the
  /// emitting thread.
  ///
  /// Everything else is as for a property that is not optional.
  @inlinable @discardableResult
  public func bind<Object: AnyObject>(
    to property: any ReferenceWritableKeyPath<Object, Payload?> & Sendable, of object: Object,
    on queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    pass(to: property, of: object, RequestedPlace(queue: queue), fileID, line) { $0 }
  }

  /// Connects a slot that sets the property to each payload, unless they are equal.
  ///
  /// It passes only the newest of the payloads that wait for it. Two payloads could otherwise chase
  /// each other through a circle of bindings, for ever.
  @inlinable
  func pass<Object: AnyObject, Value>(
    to property: ReferenceWritableKeyPath<Object, Value>, of object: Object,
    _ place: RequestedPlace, _ fileID: StaticString, _ line: UInt32,
    _ value: @escaping (Payload) -> Value
  ) -> SignalObserver {
    let areEqual = equality(of: Value.self)
    var slot = SignalSlot(object, place, fileID, line) { object, payload in
      if Cause.isStale { return }
      let value = value(payload)
      Cause.bind {
        let current = object[keyPath: property]
        let isEqual = areEqual?(current, value) == true
        // Code that reads or compares may have set the source.
        return isEqual || Cause.isStale
      } set: {
        object[keyPath: property] = value
      }
    }
    slot.request.buffering = .newest(1)
    return attach(slot.passing("bind"))
  }

  /// Refuses an object before its property.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "write bind(to: \\.property, of: object)"
  )
  @discardableResult
  public func bind<Object: AnyObject, Value>(
    to object: Object, _ property: KeyPath<Object, Value>
  ) -> SignalObserver { fatalError("unavailable") }

  /// Refuses a property of another type than the payload.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "the property and the payload have different types: write map { … }.bind(to: \\.property, of: object)"
  )
  @discardableResult
  public func bind<Object: AnyObject, Value>(
    to property: ReferenceWritableKeyPath<Object, Value>, of object: Object,
    on queue: DispatchQueue? = nil
  ) -> SignalObserver { fatalError("unavailable") }
}
