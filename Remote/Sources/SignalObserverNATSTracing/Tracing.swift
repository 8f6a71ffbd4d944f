public import Instrumentation
public import SignalObserverNATS

extension BusInstrument {
  /// Carries the context of a trace in the headers of messages.
  ///
  /// A message gets the context of the code that emits it, or asks. A slot runs with the context of
  /// its message, so that a span that it starts belongs to the trace of the sender, and so does what
  /// it sends. The library makes no spans of its own.
  ///
  /// - Parameter instrument: The instrument that knows the headers of a context; nil for that of
  ///   `InstrumentationSystem`.
  /// - Returns: The instrument.
  public static func tracing(with instrument: (any Instrument)? = nil) -> BusInstrument {
    var tracing = BusInstrument()
    tracing.inject = { headers in
      guard let context = ServiceContext.current else { return }
      var carrier = Carrier(headers: headers)
      (instrument ?? InstrumentationSystem.instrument)
        .inject(context, into: &carrier, using: Headers())
      if let error = carrier.error { throw error }
      headers = carrier.headers
    }
    tracing.runSlots(with: ServiceContext.$current) { headers in
      if headers.isEmpty { return nil }
      var context = ServiceContext.topLevel
      (instrument ?? InstrumentationSystem.instrument)
        .extract(Carrier(headers: headers), into: &context, using: Headers())
      return context
    }
    return tracing
  }
}

private struct Carrier: Sendable {
  var headers: MessageHeaders
  /// The first header that cannot be sent.
  var error: BusError?
}

private struct Headers: Injector, Extractor {
  func inject(_ value: String, forKey key: String, into carrier: inout Carrier) {
    do throws(BusError) { try carrier.headers.set(value, for: key) } catch {
      carrier.error = carrier.error ?? error
    }
  }

  func extract(key: String, from carrier: Carrier) -> String? { carrier.headers[key] }
}
