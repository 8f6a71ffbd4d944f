#if SO_EXPLORE
  import SignalObserver

  /// The end of a connection against everything that may be using it.
  var endScenarios: [Scenario] {
    [
      Scenario(
        "end against a count-in of an emission",
        reaches: [
          "the call is counted in first", "the end is first", "the end finds a call counted in",
          "the count-in finds the end",
        ]
      ) { world in
        let a = world.connect("a")
        world.expect("who called it releases it, or who ended it") {
          let isCalled = world.values("a") == [1]
          world.reach("the call is counted in first", if: isCalled && world.releasers["a"] == 1)
          world.reach("the end is first", if: !isCalled)
          world.reach("the end finds a call counted in", if: isCalled && world.isSurprised(2))
          world.reach("the count-in finds the end", if: !isCalled && world.isSurprised(1))
          return world.releasers["a"] == 2 || isCalled && world.releasers["a"] == 1
        }
        return [{ world.emit(1) }, { a.cancel() }]
      },
      Scenario(
        "end against a count-in of a drain",
        reaches: [
          "the call is counted in first", "the end is first, with payloads in hand",
          "the count-in finds the end", "the end is between the count-in and the call",
        ]
      ) { world in
        let a = world.connect("a", on: world.queue)
        world.connect("b", on: world.queue)
        world.emit(1)
        world.expect("it is released, and the other slot is called") {
          let isCalled = world.values("a") == [1]
          world.reach("the call is counted in first", if: isCalled && world.releasers["a"] == 1)
          world.reach(
            "the end is first, with payloads in hand",
            if: !isCalled && world.values("b") == [1] && world.releasers["a"] == 2)
          world.reach("the count-in finds the end", if: !isCalled && world.isSurprised(1))
          world.reach(
            "the end is between the count-in and the call",
            if: !isCalled && world.releasers["a"] == 1)
          return world.releasers["a"] != nil && world.values("b") == [1]
        }
        return [{ world.drain(world.queue) }, { a.cancel() }]
      },
      Scenario(
        "end between the return of the last call and the closing of the mailbox",
        reaches: ["the call returns while the end is in progress"]
      ) { world in
        var isEnding = false
        var hasReturned = false
        let box = world.handed(SignalObserver?.none)
        let a = world.connect("a", on: world.queue) { _ in
          isEnding = box.value?.isCancelled == true
        }
        box.value = a
        world.connect("b", on: world.queue) { _ in hasReturned = true }
        world.emit(1)
        world.expect("the payload that was not taken is dropped, and the last one out releases") {
          world.reach(
            "the call returns while the end is in progress",
            if: isEnding && hasReturned && world.releasers["a"] == 2)
          return isSome(world.values("a"), of: [1, 2]) && world.values("b") == [1, 2]
        }
        return [
          {
            world.drainOnce(world.queue)
            world.emit(2)
          }, { a.cancel() },
        ]
      },
      Scenario(
        "a release against an emission that did not call",
        reaches: ["the emission has the connection, and does not call it"]
      ) { world in
        var isEmitting = false
        var isInArray = false
        world.connect("before") { _ in isEmitting = true }
        let a = world.connect("a")
        world.expect("an emission that did not call the slot does not release it") {
          let isCalled = world.values("a") == [1]
          world.reach(
            "the emission has the connection, and does not call it", if: isInArray && !isCalled)
          return world.releasers["a"] == 2 || isCalled && world.releasers["a"] == 1
        }
        return [
          { world.emit(1) },
          {
            isInArray = isEmitting
            a.cancel()
          },
        ]
      },
      Scenario(
        "a confined connection that is cancelled elsewhere during a call",
        reaches: ["it is cancelled during a call", "it is cancelled before the call"]
      ) { world in
        let emitter = Variable<EmitterArg<Payload>?>(EmitterArg())
        let signal = emitter.value?.signal
        let (isCalling, wasCalling) = (Variable(false), Variable(false))
        let body = world.body("a") { _ in isCalling.value = false }
        let a = signal?.connect { _ in
          isCalling.value = true
          body(1)
        }
        world.own({ signal?.slotCount ?? 0 }, { emitter.value = nil })
        world.expect("the other thread does not release it") {
          world.reach("it is cancelled during a call", if: wasCalling.value)
          world.reach("it is cancelled before the call", if: world.values("a").isEmpty)
          return world.releasers["a"] != 2
        }
        return [
          {
            emitter.value?.invoke(Payload())
            emitter.value?.invoke(Payload())
          },
          {
            let wasCallingBefore = isCalling.value
            a?.cancel()
            wasCalling.value = wasCallingBefore && isCalling.value
          },
        ]
      },
      Scenario(
        "growth of the list against an emission and an end",
        reaches: ["an emission visits the array from before the growth", "the end is in between"]
      ) { world in
        let many = (0..<7).map { _ in world.connect("silent") }
        for each in many { each.suspend() }
        let a = world.connect("a")
        var (isEmitting, hasEmitted, wasEmitting, isCancelled) = (false, false, false, false)
        world.connect("last") { _ in isEmitting = true }
        world.expect("each slot is called as the order of the three says") {
          world.reach(
            "an emission visits the array from before the growth",
            if: wasEmitting && world.values("new").isEmpty)
          world.reach("the end is in between", if: isCancelled && world.values("a").isEmpty)
          return world.values("last") == [1] && isSome(world.values("a"), of: [1])
            && isSome(world.values("new"), of: [1]) && world.signal.slotCount == 9
        }
        return [
          {
            world.emit(1)
            hasEmitted = true
          },
          {
            wasEmitting = isEmitting && !hasEmitted
            world.connect("new")
          },
          {
            a.cancel()
            isCancelled = !isEmitting
          },
        ]
      },
    ]
  }

  /// A payload that is not `Sendable`.
  private final class Payload {}
#endif
