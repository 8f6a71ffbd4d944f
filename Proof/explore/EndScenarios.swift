#if SO_EXPLORE
  import SignalObserver

  /// The end of a connection against everything that may be using it.
  @Scenarios var endScenarios: [Scenario] {
    Scenario("end against a count-in of an emission") { world in
      let a = world.connect("a")
      world.expect {
        let isCalled = world.a == [1]
        world.reach("the call is counted in first", if: isCalled && world.releasers["a"] == 1)
        world.reach("the end is first", if: !isCalled)
        world.reach("the end finds a call counted in", if: isCalled && world.isSurprised(2))
        world.reach("the count-in finds the end", if: !isCalled && world.isSurprised(1))
        return world.releasers["a"] == 2 || isCalled && world.releasers["a"] == 1
      }
      return [{ world.emit(1) }, { a.cancel() }]
    }
    Scenario("end against a count-in of a drain") { world in
      let a = world.connect("a", on: world.queue)
      world.connect("b", on: world.queue)
      world.emit(1)
      world.expect {
        let isCalled = world.a == [1]
        world.reach("the call is counted in first", if: isCalled && world.releasers["a"] == 1)
        world.reach(
          "the end is first, with payloads taken",
          if: !isCalled && world.b == [1] && world.releasers["a"] == 2)
        world.reach("the count-in finds the end", if: !isCalled && world.isSurprised(1))
        world.reach(
          "the end is between the count-in and the call",
          if: !isCalled && world.releasers["a"] == 1)
        return world.releasers["a"] != nil && world.b == [1]
      }
      return [{ world.drain(world.queue) }, { a.cancel() }]
    }
    Scenario("end between the return of the last call and the closing of the mailbox") { world in
      var isEnding = false
      var hasReturned = false
      let box = world.handed(SignalObserver?.none)
      let a = world.connect("a", on: world.queue) { _ in
        isEnding = box.value?.isCancelled == true
      }
      box.value = a
      world.connect("b", on: world.queue) { _ in hasReturned = true }
      world.emit(1)
      world.expect {
        world.reach(
          "the call returns while the end is in progress",
          if: isEnding && hasReturned && world.releasers["a"] == 2)
        return isSome(world.a, of: [1, 2]) && world.b == [1, 2]
      }
      return [
        {
          world.drainOnce(world.queue)
          world.emit(2)
        }, { a.cancel() },
      ]
    }
    Scenario("a release against an emission that did not call") { world in
      var isEmitting = false
      var isInArray = false
      world.connect("before") { _ in isEmitting = true }
      let a = world.connect("a")
      world.expect {
        let isCalled = world.a == [1]
        world.reach(
          "the emission has the connection, and does not call it", if: isInArray && !isCalled)
        return world.releasers["a"] == 2 || isCalled && world.releasers["a"] == 1
      }
      return [
        { world.emit(1) },
        {
          isInArray = isEmitting; a.cancel()
        },
      ]
    }
    Scenario("a confined connection that is cancelled elsewhere during a call") { world in
      let emitter = Variable<EmitterArg<Payload>?>(EmitterArg())
      let signal = emitter.value?.signal
      let (isCalling, wasCalling) = (Variable(false), Variable(false))
      let body = world.body("a") { _ in isCalling.value = false }
      let a = signal?.connect { _ in
        isCalling.value = true
        body(1)
      }
      world.own({ signal?.slotCount ?? 0 }, { emitter.value = nil })
      world.expect {
        world.reach("it is cancelled during a call", if: wasCalling.value)
        world.reach("it is cancelled before the call", if: world.a.isEmpty)
        return world.releasers["a"] != 2
      }
      return [
        {
          emitter.value?.invoke(Payload()); emitter.value?.invoke(Payload())
        },
        {
          let wasCallingBefore = isCalling.value
          a?.cancel()
          wasCalling.value = wasCallingBefore && isCalling.value
        },
      ]
    }
    Scenario("growth of the list against an emission and an end") { world in
      let many = (0..<7).map { _ in world.connect("silent") }
      for each in many { each.suspend() }
      let a = world.connect("a")
      var (isEmitting, hasEmitted, wasEmitting, isCancelled) = (false, false, false, false)
      world.connect("last") { _ in isEmitting = true }
      world.expect {
        world.reach(
          "an emission visits the array from before the growth",
          if: wasEmitting && world.values("new").isEmpty)
        world.reach("the end is in between", if: isCancelled && world.a.isEmpty)
        return world.values("last") == [1] && isSome(world.a, of: [1])
          && isSome(world.values("new"), of: [1]) && world.signal.slotCount == 9
      }
      return [
        {
          world.emit(1); hasEmitted = true
        },
        {
          wasEmitting = isEmitting && !hasEmitted; world.connect("new")
        },
        {
          a.cancel(); isCancelled = !isEmitting
        },
      ]
    }
  }

  /// A payload that is not `Sendable`.
  private final class Payload {}
#endif
