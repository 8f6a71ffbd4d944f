extension SignalSlot {
  /// Returns the same slot, labelled with the name of an operator that its payloads pass.
  ///
  /// An operator of your own is thereby named in the connections of a signal, in its description,
  /// and in a ``Wiring``. Call it on the slot that is attached to the base:
  ///
  /// ```swift
  /// func attach(_ slot: SignalSlot<Double>) -> SignalObserver {
  ///   let celsius = slot.adapted { (value: Double) in (value - 32) / 1.8 }
  ///   return fahrenheit.attach(celsius.passing("celsius"))
  /// }
  /// ```
  ///
  /// It runs nothing, and costs one allocation for each connection.
  ///
  /// - Parameter name: The name of the operator.
  /// - Returns: A slot with the same target and place.
  @inlinable
  public func passing(_ name: String) -> SignalSlot<Payload> {
    var slot = self
    slot.request.origin.stage = Stage(name, slot.request.origin.stage)
    return slot
  }

  /// Returns the same slot, labelled as one that sends its payloads out of the program.
  ///
  /// ```swift
  /// func attach(_ slot: SignalSlot<Int>) -> SignalObserver {
  ///   scores.attach(slot.leaving(for: "games.scores"))
  /// }
  /// ```
  ///
  /// Use this in a source whose slot hands each payload to a bus or a socket. A ``Wiring`` shows
  /// `endpoint` in place of the slot. It shows a ``Wiring/Endpoint`` of the same name as the other
  /// side. The label changes nothing else, as with ``passing(_:)``.
  ///
  /// - Parameter endpoint: The name of the other end, such as a subject of a message bus.
  /// - Returns: A slot with the same target and place.
  @inlinable
  public func leaving(for endpoint: String) -> SignalSlot<Payload> {
    var slot = self
    slot.request.origin.stage = Stage(endpoint, slot.request.origin.stage, endpoint: endpoint)
    return slot
  }

  /// Returns the same slot, which feeds the connections in `list`.
  @inlinable
  func feeding(
    _ list: ConnectionList, isLater: Bool = false, of signal: Any.Type? = nil,
    handle: SignalObserver? = nil, by name: String
  ) -> SignalSlot<Payload> {
    var slot = self
    slot.request.origin.stage = Stage(
      name, feeding: list, isLater: isLater, of: signal, handle: handle)
    return slot
  }
}

extension SignalSource {
  /// Attaches a slot that calls a method by its name.
  @inlinable
  func attachMethod(_ slot: consuming SignalSlot<Payload>) -> SignalObserver {
    slot.request.origin.isMethod = true
    return attach(slot)
  }

  /// Attaches a slot that calls a closure.
  ///
  /// It owns and changes the slot, as the form for methods does. The compiler would otherwise copy
  /// the slot, and count each reference in it (300 instructions).
  @inlinable
  func attachClosure(_ slot: consuming SignalSlot<Payload>) -> SignalObserver {
    slot.request.origin.isMethod = false
    return attach(slot)
  }
}
