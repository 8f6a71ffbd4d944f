/// What a ``Bus`` is made with.
public struct BusOptions: Sendable {
  /// How a bus says who it is.
  public enum Credentials: Sendable {
    /// A user and a password.
    case user(String, password: String)
    /// A token.
    case token(String)
    /// A credentials file, as `nsc` makes it: a user's JWT and its seed.
    case file(String)
    /// A public NKey, and the file with its seed.
    case nkey(String, seedFile: String)
  }

  /// How a bus speaks TLS.
  public struct TLS: Sendable {
    /// A file with the certificates to trust; nil for the system's.
    public var trustedCertificates: String?
    /// Files with the certificate of this side and its key.
    public var certificate: (chain: String, key: String)?
    /// The host name that the server's certificate must have; nil for that of the address.
    public var hostname: String?

    /// Creates settings that trust the system's certificates.
    public init() {}
  }

  /// The name that the server shows for the connection.
  public var name = "SignalObserver"
  /// How the bus says who it is; nil for not at all, or as the address says.
  public var credentials: Credentials?
  /// TLS, where the address is not `tls://…` or more is to be said.
  public var tls: TLS?
  /// How many bytes of messages over core subjects may wait to be sent.
  ///
  /// What does not fit is lost, counted, and announced by ``BusError/lost(count:subject:because:)``.
  public var outboxLimit = 16 << 20
  /// Whether messages over core subjects wait for the next connection when there is none.
  ///
  /// Up to ``outboxLimit``. Otherwise they are lost, counted and announced.
  public var buffersWhileDisconnected = true
  /// How many messages of one ``RemoteSignal`` may wait for its slots.
  ///
  /// What does not fit is lost, counted, and announced.
  public var pendingLimit = 65_536
  /// How many bytes of emissions may wait to be stored in one stream.
  public var streamOutboxLimit = 256 << 20
  /// How often a silent server is asked whether it is there; two times without an answer end the
  /// connection.
  public var pingInterval = Duration.seconds(2)
  /// How long one attempt to reach a server, and one request, may take.
  public var timeout = Duration.seconds(2)
  /// The longest wait between two attempts to connect again.
  public var longestDelay = Duration.seconds(1)
  /// On how many servers a stream or a value that the bus makes is kept: 1, or 3 or 5 in a cluster.
  public var replicas = 1
  /// How long a named consumer waits for a sign of life before it takes over from another process.
  public var takeover = Duration.seconds(3)

  /// Creates the default options.
  public init() {}
}

extension Duration {
  var milliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }

  var nanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}
