// A main loop by poll, which runs the main queue. IsolationTests runs this program, and reads what it prints.

import Dispatch
import SignalObserver

#if os(Linux)
  import CMainQueue
  import Glibc
  import MainLoopScenario

  // snippet.poll-loop
  /// Runs the main queue, and whatever else there is to do, for ever.
  @MainActor func runLoop(_ doTheRest: () -> Void) {
    var watched = [
      pollfd(
        fd: _dispatch_get_main_queue_handle_4CF(), events: Int16(POLLIN),
        revents: 0)
      // … and what else the program watches.
    ]
    while true {
      // For a game: until the next frame, and not longer. Unsafe: poll gets
      // the address of as many elements as it is told.
      unsafe poll(&watched, nfds_t(watched.count), 16)
      if watched[0].revents != 0 {
        // Unread, the descriptor stays readable, and poll never waits.
        // Unsafe: read gets the address of eight bytes, and writes eight.
        var count: UInt64 = 0
        unsafe read(watched[0].fd, &count, 8)
        _dispatch_main_queue_callback_4CF(nil)
      }
      doTheRest()
    }
  }
  // snippet.end

  MainLoopScenario.begin()
  DispatchQueue.main.async { MainLoopScenario.proceed() }
  runLoop {}
#endif
