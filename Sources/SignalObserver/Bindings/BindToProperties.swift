public import Dispatch

extension SignalSource where Payload: Sendable {
  /// Sets a property of `object` to every payload.
  ///
  /// If the source is a value, its current value comes first.
  ///
  /// ```swift
  /// model.$title.bind(to: \.text, on: label)
  /// ```
  ///
  /// The property is set where `connect` would call a method: on the isolation of the caller, or
  /// else on the main queue. `object` is held weakly, and the connection ends with it.
  ///
  /// - Parameters:
  ///   - property: The property. An optional property fits a payload that is not optional.
  ///   - object: The object whose property is set.
  ///   - isolation: The isolation of the caller. Leave it out: the compiler fills it in.
  ///   - fileID: The file of the caller, for the debug description of the signal.
  ///   - line: The line of the caller, for the debug description of the signal.
  /// - Returns: The handle of the connection.
  @discardableResult
  public func bind<Object: AnyObject>(
    to property: ReferenceWritableKeyPath<Object, Payload>, on object: Object,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(object, Delivery(isolation: isolation), fileID, line) { object, payload in
        object[keyPath: property] = payload
      })
  }

  /// Sets an optional property of `object` to every payload.
  ///
  /// Everything else is as for a property that is not optional.
  @discardableResult
  public func bind<Object: AnyObject>(
    to property: ReferenceWritableKeyPath<Object, Payload?>, on object: Object,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(object, Delivery(isolation: isolation), fileID, line) { object, payload in
        object[keyPath: property] = payload
      })
  }

  /// Sets a property of `object` to every payload, on `queue`; with `.inline`, on the emitting
  /// thread.
  ///
  /// `object` is held weakly, and the connection ends with it. The compiler refuses a property of
  /// the main actor, because its key path is not `Sendable`.
  @discardableResult
  public func bind<Object: AnyObject>(
    to property: any ReferenceWritableKeyPath<Object, Payload> & Sendable, on object: Object,
    _ queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(object, Delivery(queue: queue), fileID, line) { object, payload in
        object[keyPath: property] = payload
      })
  }

  /// Sets an optional property of `object` to every payload, on `queue`; with `.inline`, on the
  /// emitting thread.
  ///
  /// Everything else is as for a property that is not optional.
  @discardableResult
  public func bind<Object: AnyObject>(
    to property: any ReferenceWritableKeyPath<Object, Payload?> & Sendable, on object: Object,
    _ queue: DispatchQueue?, fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver {
    attach(
      SignalSlot(object, Delivery(queue: queue), fileID, line) { object, payload in
        object[keyPath: property] = payload
      })
  }
}
