import HTTPTypes
import Hummingbird

/// Refuses what other pages send here by way of the user's browser, and gives every answer the headers
/// that a page needs.
///
/// A page of another site can let the browser send a request to an address that it cannot reach itself,
/// and give that address a name of its own. The first is known by its origin, the second by the host
/// that it asks for.
struct Guard<Context: RequestContext>: RouterMiddleware {
  private let hosts: Set<String>

  /// - Parameters:
  ///   - address: Where the server listens.
  ///   - hosts: Further names by which it may be asked for, without a port.
  init(address: String, hosts: [String]) {
    let isLoopback = ["127.0.0.1", "::1", "localhost"].contains(address)
    let own = isLoopback ? ["127.0.0.1", "::1", "localhost"] : [address]
    // The sixth version's addresses stand in brackets there.
    let isBare = { (host: String) in host.contains(":") && !host.hasPrefix("[") }
    self.hosts = Set((own + hosts).map { (isBare($0) ? "[\($0)]" : $0).lowercased() })
  }

  func handle(
    _ request: Request, context: Context,
    next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    var response: Response
    do {
      try check(request)
      response = try await next(request, context)
    } catch let error as any HTTPResponseError {
      response = try error.response(from: request, context: context)
      // An error says why, which the answer to this must not.
      if request.method == .head { response.body = ResponseBody() }
    }
    response.headers[.contentSecurityPolicy] =
      "default-src 'none'; connect-src 'self'; script-src 'unsafe-inline'; "
      + "style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    response.headers[.xContentTypeOptions] = "nosniff"
    response.headers[.cacheControl] = "no-store"
    return response
  }

  private func check(_ request: Request) throws {
    let host = request.head.authority ?? ""
    if !hosts.contains(Self.name(host).lowercased()) {
      throw HTTPError(.forbidden, message: "The server is not asked for by this name: see --host.")
    }
    if let origin = request.headers[.origin], origin != "http://\(host)" {
      throw HTTPError(.forbidden, message: "Another page asks.")
    }
  }

  /// Returns a host without its port, if it has one.
  static func name(_ host: String) -> Substring {
    guard let colon = host.lastIndex(of: ":") else { return host[...] }
    let port = host[colon...].dropFirst()
    return UInt16(port) != nil && port.first != "+" ? host[..<colon] : host[...]
  }
}
