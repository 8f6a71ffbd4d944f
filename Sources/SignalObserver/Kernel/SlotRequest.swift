public import Dispatch

/// Where and when a slot runs, as its connect form says.
@usableFromInline
enum RequestedPlace {
  /// On the emitting thread, before `invoke` returns.
  case inline
  /// As `inline`, for a signal that stays in one isolation domain. The slot's closure and captures
  /// are released nowhere else.
  case confined(onMain: Bool)
  /// On a queue, always later.
  case queue(DispatchQueue)
  /// On the main queue, which is the main actor; at once when the emission is there.
  case main
  /// On an actor; at once when the emission is there.
  case actor(any Actor)
  /// For an asynchronous slot: in tasks of its own, on an actor.
  case actorTask(any Actor)
  /// For an asynchronous slot: in tasks of its own, on no actor.
  case task
}

/// The contents of a ``SignalSlot``, without the type of the payload.
@safe
@usableFromInline
struct SlotRequest {
  @usableFromInline let target: AnyObject?
  @usableFromInline let place: RequestedPlace
  @usableFromInline var body: SlotBody
  /// Makes the mailbox of the slot, which does not run inline.
  @usableFromInline
  var makeMailbox: (SlotRequest) -> Mailbox
  @usableFromInline var origin: SlotOrigin
  /// The limit on the payloads that wait.
  @usableFromInline var buffering = SignalBuffering.unbounded
  /// How many payloads the slot takes at most, if it takes each one that waits.
  ///
  /// No more wait for it, unless ``buffering`` says how many do.
  @usableFromInline var quota = Int.max
  /// What the connection holds until it ends.
  @usableFromInline var held: AnyObject?

  @usableFromInline
  init(
    target: AnyObject?, place: RequestedPlace, body: SlotBody,
    makeMailbox: @escaping (SlotRequest) -> Mailbox, origin: SlotOrigin
  ) {
    self.target = target
    self.place = place
    unsafe self.body = body
    self.makeMailbox = makeMailbox
    self.origin = origin
  }
}

extension SlotRequest {
  /// The body of the slot.
  ///
  /// That of an only part calls nobody while the handle is suspended. That of a part of a confined
  /// connection calls nobody once that was cancelled, and ends it in its domain.
  fileprivate var ownBody: SlotBody {
    guard let handle = origin.handle, handle.isConfined || origin.isOnlyPart,
      case .sync(let call) = unsafe body
    else { return unsafe body }
    return unsafe .sync { target, part, payload in
      if handle.isOver { return handle.endIfCancelledElsewhere() }
      if part.isActive { unsafe call(target, part, payload) }
    }
  }

  /// What the connection holds.
  ///
  /// Not inlined: the compiler would copy the reference through its metadata (67 instructions).
  @inline(never)
  fileprivate var ownHeld: AnyObject? { held }
}

extension SignalObserver {
  /// Makes a connection for which ``ConnectionList/attach(_:)-(SignalObserver)`` must follow.
  @usableFromInline
  convenience init(_ request: borrowing SlotRequest, _ list: ConnectionList) {
    var (mailbox, isConfined, isOnMain) = (nil as Mailbox?, false, false)
    switch request.place {
    case .inline: break
    case .confined(let onMain):
      if onMain { MainQueue.requireMainActor() }
      (isConfined, isOnMain) = (true, onMain)
    default: mailbox = request.makeMailbox(copy request)
    }
    unsafe self.init(
      request.target, request.ownBody, mailbox, isConfined: isConfined, toMain: isOnMain,
      request.origin, list, request.ownHeld)
  }
}

extension ConnectionList {
  /// Connects a slot, or returns an observer that is cancelled if the emitter is dead.
  @usableFromInline
  func attach(_ request: borrowing SlotRequest) -> SignalObserver {
    let connection = SignalObserver(request, self)
    attach(connection)
    return connection
  }
}
