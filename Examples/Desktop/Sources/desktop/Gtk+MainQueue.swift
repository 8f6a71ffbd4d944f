import CGtk
import Glibc

// snippet.glib-loop
/// Lets GLib's loop, which is to begin after this, run the main queue.
@MainActor func runMainQueueInGLib() {
  // At the priority of drawing: GLib serves events first, and sources of one
  // priority in turn, so a flood of payloads delays neither clicks nor frames.
  g_unix_fd_add_full(
    120, _dispatch_get_main_queue_handle_4CF(), G_IO_IN,
    { handle, _, _ in
      // Unread, the descriptor stays readable, and the loop never waits.
      var count: UInt64 = 0
      read(handle, &count, 8)
      _dispatch_main_queue_callback_4CF(nil)
      return 1  // Keep watching.
    }, nil, nil)
}
// snippet.end
