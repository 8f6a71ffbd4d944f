import HTTPTypes
import Hummingbird

/// Refuses what other pages send here by way of the user's browser.
///
/// A page of another site can let the browser send a request to the loopback address, and give that
/// address a name of its own. The first is known by its origin, the second by the host that it asks for.
struct Guard<Context: RequestContext>: RouterMiddleware {
  /// Whether only this machine is served.
  let isLoopback: Bool

  func handle(
    _ request: Request, context: Context,
    next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    let host = request.head.authority ?? ""
    if isLoopback && !Self.isLocal(host) { throw HTTPError(.forbidden) }
    if let origin = request.headers[.origin], origin != "http://\(host)" {
      throw HTTPError(.forbidden)
    }
    var response = try await next(request, context)
    response.headers[.contentSecurityPolicy] =
      "default-src 'none'; connect-src 'self'; script-src 'unsafe-inline'; "
      + "style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    response.headers[.xContentTypeOptions] = "nosniff"
    response.headers[.cacheControl] = "no-store"
    return response
  }

  /// Whether a host, with or without a port, is a name of this machine.
  static func isLocal(_ host: String) -> Bool {
    ["localhost", "127.0.0.1", "[::1]"].contains { name in
      host == name || host.hasPrefix("\(name):")
    }
  }
}
