public import Logging
public import SignalObserverNATS

extension BusInstrument {
  /// Writes errors and states to a logger.
  ///
  /// An error after which the bus tries again has the level `warning`, and every other one has
  /// `error`. A state has `notice`. The metadata has the kind of the error, as `error`, and its
  /// details, such as `subject` and `reason`; or the `state`. All entries have the name of the bus.
  ///
  /// - Parameters:
  ///   - logger: The logger.
  ///   - name: The name of the bus.
  /// - Returns: The instrument.
  public static func logging(to logger: Logger, as name: String = "nats") -> BusInstrument {
    var logger = logger
    logger[metadataKey: "bus"] = "\(name)"
    var logging = BusInstrument()
    logging.error = { [logger] error in
      logger.log(level: error.level, "\(error)", metadata: error.metadata)
    }
    logging.state = { [logger] state in
      logger.notice("the bus is \(state)", metadata: ["state": "\(state)"])
    }
    return logging
  }
}

extension BusError {
  fileprivate var level: Logger.Level {
    switch self {
    case .connection, .timeout, .unavailable, .slotThrew, .takenOver: .warning
    default: .error
    }
  }

  /// The kind of the error, and what belongs to it.
  fileprivate var metadata: Logger.Metadata {
    var metadata: Logger.Metadata = ["error": "\(kind)"]
    guard let details = Mirror(reflecting: self).children.first?.value else { return metadata }
    for (name, value) in Mirror(reflecting: details).children {
      // The bytes of a message are no text.
      guard let name, !(value is [UInt8]) else { continue }
      let mirror = Mirror(reflecting: value)
      if mirror.displayStyle != .optional {
        metadata[name] = "\(value)"
      } else if let value = mirror.children.first?.value {
        metadata[name] = "\(value)"
      }
    }
    return metadata
  }
}
