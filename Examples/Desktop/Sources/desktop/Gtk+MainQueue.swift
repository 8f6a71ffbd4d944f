import CGtk
import Glibc

// snippet.glib-loop
/// Lets GLib's loop run the main queue: its slots, and every task of the main actor.
///
/// Call it once, on the main thread, before the loop begins.
@MainActor func runMainQueueInGLib() {
  // Not before drawing, whose priority is 120: GLib serves events first, and sources of one
  // priority in turn. A flood of payloads then delays neither a click nor a frame.
  _ = g_unix_fd_add_full(
    120, _dispatch_get_main_queue_handle_4CF(), G_IO_IN,
    { handle, _, _ in
      // Unread, the descriptor stays readable, and the loop spins.
      var count: UInt64 = 0
      read(handle, &count, MemoryLayout.size(ofValue: count))
      _dispatch_main_queue_callback_4CF(nil)
      return 1  // Keep watching.
    }, nil, nil)
}
// snippet.end
