public import Dispatch

extension SignalSource where Payload: Sendable {
  /// Sets a property of `object` to every payload; a value that is bound sets it at once.
  ///
  /// ```swift
  /// model.$title.bind(to: \.text, on: label)
  /// ```
  ///
  /// It is set where `connect` would call a method: on the isolation that this is called from, or
  /// on the main queue. `object` is held weakly, and the connection ends with it.
  ///
  /// - Parameters:
  ///   - property: The property. One that is optional fits a payload that is not.
  ///   - object: The object whose property is set.
  ///   - isolation: Where this is called. Leave it out: the compiler fills it in.
  ///   - fileID: Where this is called, for the signal's debug description.
  ///   - line: Where this is called, for the signal's debug description.
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
  /// Otherwise as for one that is not optional.
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

  /// Sets a property of `object` to every payload, on `queue`, or inline if that is `nil`.
  ///
  /// A property of the main actor is refused, since its key path is not `Sendable`.
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

  /// Sets an optional property of `object` to every payload, on `queue`, or inline if that is
  /// `nil`.
  ///
  /// A property of the main actor is refused, since its key path is not `Sendable`.
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
