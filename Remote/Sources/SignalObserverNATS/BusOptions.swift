import Foundation

/// The options of a ``Bus``.
public struct BusOptions: Sendable {
  /// The credentials with which a bus logs in.
  ///
  /// With a file or an NKey, a bus that is refused logs in again at once, three times in all: libnats
  /// 3.4.1 does not send one signature of 256.
  public enum Credentials: Sendable {
    /// A user and a password.
    case user(String, password: String)
    /// A token.
    case token(String)
    /// The path of a credentials file, as `nsc` makes it: a user's JWT and its seed.
    case file(String)
    /// A public NKey, and the file with its seed.
    case nkey(String, seedFile: String)
  }

  /// The TLS settings of a bus.
  public struct TLS: Sendable {
    /// The path of a file with the certificates to trust; nil for those of the system.
    public var trustedCertificates: String?
    /// The paths of the files with this side's certificate and its key.
    public var certificate: (chain: String, key: String)?
    /// The host name that the server's certificate must have; nil for the one in the address.
    public var hostname: String?

    /// Creates settings that trust the system's certificates.
    public init() {}
  }

  /// The name that the server shows for the connection.
  public var name = "SignalObserver"
  /// The credentials; nil for those in the address, or for none.
  public var credentials: Credentials?
  /// The TLS settings.
  ///
  /// Set this to use TLS with an address that does not begin with `tls://`, or to change the
  /// settings.
  ///
  /// In both cases, a server that does not speak TLS is an error.
  public var tls: TLS?
  /// Whether the bus may send credentials to a server without TLS, so that everybody on the network
  /// path can read them.
  public var allowsPlaintextCredentials = false
  /// Whether to make a bus even if no server answers.
  ///
  /// It connects as soon as one does.
  public var startsWithoutServer = false
  /// What watches the bus, or accompanies its messages.
  ///
  /// The default writes errors that no call throws to the standard error.
  public var instruments: [BusInstrument] = [.standardError]
  /// The first part of the subjects on which the bus receives answers and messages of streams.
  ///
  /// A server can permit each user a prefix of its own. Nobody else then reads what the user receives.
  public var inboxPrefix: Subject = "_INBOX"
  /// The first part of the subjects of JetStream's interface.
  ///
  /// For a JetStream domain `hub`, it is `$JS.hub.API`.
  public var jetStreamPrefix: Subject = "$JS.API"
  /// A function that gets each message that cannot be decoded, and the error; nil for none.
  ///
  /// It is called on the queue that would have delivered the message, which waits for it. A message of
  /// a stream also becomes a dead letter. ``BusError/undecodable(subject:bytes:reason:)`` reports the
  /// message, too.
  public var undecodable: (@Sendable (Message<[UInt8]>, any Error) -> Void)?
  /// The limit for messages over core subjects that wait to be sent, in bytes.
  ///
  /// A message that does not fit is lost. ``BusError/lost(count:subject:because:)`` reports it.
  public var outboxLimit = 16 << 20
  /// Whether messages over core subjects wait for the next connection if there is none.
  ///
  /// They wait up to ``outboxLimit``. If this is false, they are lost and reported at once.
  public var buffersWhileDisconnected = true
  /// The limit for messages that wait for the slots of all ``RemoteSignal``s of the bus, in bytes.
  ///
  /// The size of a message includes its subject, its headers and another 512 bytes. A message that
  /// does not fit is lost and reported. One half of the limit is for messages that libnats has not
  /// handed over yet. Of the other half, a signal may have as much as it leaves to the others.
  public var pendingLimit = 128 << 20
  /// The limit for emissions that wait to be stored in one stream, in bytes.
  ///
  /// What sources emit and does not fit is lost and reported.
  /// ``RemoteStream/emit(_:to:as:id:)`` waits, and uses half of the limit.
  public var streamOutboxLimit = 256 << 20
  /// The time between two pings of the server.
  ///
  /// If a ping is not answered within ``timeout``, the connection ends.
  public var pingInterval = Duration.seconds(2)
  /// The longest time that one attempt to connect, or one request, may take.
  public var timeout = Duration.seconds(2)
  /// How long the bus repeats a request to the servers before it throws an error.
  ///
  /// Payloads that are sent to a stream wait longer, until the servers have stored them.
  public var patience = Duration.seconds(30)
  /// The longest wait between two attempts to connect again.
  public var longestDelay = Duration.seconds(1)
  /// The number of servers that keep a stream or a value that the bus makes: 1, or 3 or 5 in a
  /// cluster.
  public var replicas = 1
  /// How long another process of a named consumer may be silent before this one takes over.
  public var takeover = Duration.seconds(3)

  /// How often slots of a named consumer may throw for one message before the message becomes a
  /// dead letter.
  public var maximumDeliveries = 10
  /// The name of the stream that keeps the dead letters: messages of other streams at which slots threw
  /// too often, or that could not be decoded.
  public var deadLetters: Name = "dead-letters"
  /// A server in this process, which lives as long as the bus.
  package var server: (any Sendable)?

  /// Creates the default options.
  public init() {}
}

extension Duration {
  /// At most 24 days, because libnats waits with `poll`.
  var milliseconds: Int64 { Int64(Int32(clamping: attoseconds / 1_000_000_000_000_000)) }

  /// At most 292 years.
  package var nanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }
}
