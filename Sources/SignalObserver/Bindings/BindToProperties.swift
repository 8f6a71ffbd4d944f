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
  /// else on the main queue. It is read there first, and a payload that equals it sets nothing, if
  /// the two can be compared. Bindings in a cycle therefore settle. <doc:Values> has the exact
  /// rule. The connection holds `object` weakly, and ends with it.
  ///
  /// - Parameters:
  ///   - property: The property. An optional property fits a payload that is not optional.
  ///   - object: The object whose property is set.
  ///   - isolation: The isolation of the caller. Leave it out: the compiler fills it in.
  ///   - fileID: The file of the caller, for the debug description of the signal.
  ///   - line: The line of the caller, for the debug description of the signal.
  /// - Returns: The handle of the connection.
  /// - Complexity: O(1), amortised. The first change during an emission is O(*n*) in the slots.
  @discardableResult
  public func bind<Object: AnyObject>(
    to property: ReferenceWritableKeyPath<Object, Payload>, of object: Object,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    let areEqual = equality(of: Payload.self)
    return bind(
      SignalSlot(object, RequestedPlace(isolation: isolation), fileID, line) { object, passed in
        unsafe ValueReads.set(property, of: object, to: passed.payload, passed.cause, areEqual)
      })
  }

  /// Sets an optional property of `object` to each payload.
  ///
  /// Everything else is as for a property that is not optional.
  @discardableResult
  public func bind<Object: AnyObject>(
    to property: ReferenceWritableKeyPath<Object, Payload?>, of object: Object,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    let areEqual = equality(of: (Payload?).self)
    return bind(
      SignalSlot(object, RequestedPlace(isolation: isolation), fileID, line) { object, passed in
        unsafe ValueReads.set(property, of: object, to: passed.payload, passed.cause, areEqual)
      })
  }

  /// Sets a property of `object` to each payload, on `queue`; with `.inline`, on the emitting
  /// thread.
  ///
  /// On a queue, the property is always set later, in order ([guarantee 13](doc:Guarantees)). The
  /// compiler refuses a property of the main actor, because its key path is not `Sendable`: use the
  /// form without a queue for such a property. Everything else is as for that form.
  @discardableResult
  public func bind<Object: AnyObject>(
    to property: any ReferenceWritableKeyPath<Object, Payload> & Sendable, of object: Object,
    on queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    let areEqual = equality(of: Payload.self)
    return bind(
      SignalSlot(object, RequestedPlace(queue: queue), fileID, line) { object, passed in
        unsafe ValueReads.set(property, of: object, to: passed.payload, passed.cause, areEqual)
      })
  }

  /// Sets an optional property of `object` to each payload, on `queue`; with `.inline`, on the
  /// emitting thread.
  ///
  /// Everything else is as for a property that is not optional.
  @discardableResult
  public func bind<Object: AnyObject>(
    to property: any ReferenceWritableKeyPath<Object, Payload?> & Sendable, of object: Object,
    on queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    let areEqual = equality(of: (Payload?).self)
    return bind(
      SignalSlot(object, RequestedPlace(queue: queue), fileID, line) { object, passed in
        unsafe ValueReads.set(property, of: object, to: passed.payload, passed.cause, areEqual)
      })
  }

  /// Makes the compiler say what to write instead.
  @available(
    *, unavailable,
    message: "write bind(to: \\.property, of: object): 'of:' names the object, and 'on:' its queue"
  )
  public func bind<Object: AnyObject, Value>(
    to property: ReferenceWritableKeyPath<Object, Value>, on object: Object
  ) -> SignalObserver { fatalError("unavailable") }

  /// Refuses an object before its property.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "write bind(to: \\.property, of: object)"
  )
  @discardableResult
  public func bind<Object: AnyObject, Value>(
    to object: Object, _ property: KeyPath<Object, Value>
  ) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses an object before its property, without a label.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message: "write bind(to: \\.property, of: object)"
  )
  @discardableResult
  public func bind<Object: AnyObject, Value>(
    _ object: Object, _ property: KeyPath<Object, Value>
  ) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses a property of another type than the payload.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "the property is of another type than the payload: write map { … }.bind(to: \\.property, of: object)"
  )
  @discardableResult
  public func bind<Object: AnyObject, Value>(
    to property: ReferenceWritableKeyPath<Object, Value>, of object: Object
  ) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Refuses a property of another type than the payload, with a queue.
  @_documentation(visibility: internal)
  @available(
    *, unavailable,
    message:
      "the property is of another type than the payload: write map { … }.bind(to: \\.property, of: object, on: queue)"
  )
  @discardableResult
  public func bind<Object: AnyObject, Value>(
    to property: ReferenceWritableKeyPath<Object, Value>, of object: Object,
    on queue: DispatchQueue?
  ) -> SignalObserver {
    fatalError("unavailable")
  }

  /// Connects a slot that sets a property, and that gets each payload with its cause.
  ///
  /// The emitting thread finds the cause, and the property is set in the place of the slot.
  private func bind(
    _ slot: SignalSlot<(payload: Payload, cause: Cause)>
  ) -> SignalObserver {
    Cause.beginStamps()
    let parts = ObserverBag()
    let relay = Relay(slot, holding: parts)
    let end = relay.partEnd
    let part = unsafe slot.part(Payload.self, "bind", of: relay) { _, _, address in
      let payload = unsafe address.assumingMemoryBound(to: Payload.self).pointee
      let passed = (payload: payload, cause: Cause.waiting(0))
      unsafe withUnsafePointer(to: passed) { unsafe relay.send($0, .emission(0)) }
      holdUntilHere(end)
    }
    parts.insert(attach(part))
    return relay.observer
  }
}
