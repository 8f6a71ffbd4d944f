import CGtk
import Dispatch
import DuplicateFinder
import Glibc
import SignalObserver

/// Answers Scripts/check-desktop, if the environment names a socket: one line asks, one answers.
///
///     text NAME     the text of the widget; of the list, how many of its rows are visible
///     place NAME    the middle of the widget, in the window
///     scan PATH     scans a folder
///     flood N       N payloads a second from a thread, each to a slot of the main actor; 0 ends it
///     close         closes the window
///     count         how many of them have been delivered
@MainActor enum TestSocket {
  private static let sent = EmitterArg<Int>()
  private static let rate = EmitterValue(0)
  private static var delivered = 0
  private static var isFlooding = false

  static func open(_ path: String) {
    sent.signal.connect { _ in delivered += 1 }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(100)) }
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let outcome = withUnsafeBytes(of: &address) {
      bind(listener, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t($0.count))
    }
    precondition(outcome == 0 && listen(listener, 8) == 0, "cannot listen at \(path)")
    g_unix_fd_add(
      listener, G_IO_IN,
      { listener, _, _ in
        let client = accept(listener, nil, nil)
        var line = [UInt8](repeating: 0, count: 256)
        let count = max(0, read(client, &line, line.count))
        let words = String(decoding: line[..<count], as: UTF8.self).split { $0.isWhitespace }
        let reply = MainActor.assumeIsolated { TestSocket.answer(words.map(String.init)) } + "\n"
        _ = write(client, reply, reply.utf8.count)
        close(client)
        return 1
      }, nil)
  }

  private static func answer(_ words: [String]) -> String {
    let argument = words.dropFirst().first ?? ""
    let top = g_list_model_get_item(gtk_window_get_toplevels(), 0)
    defer { g_object_unref(top) }
    let window = top?.assumingMemoryBound(to: GtkWidget.self)
    switch words.first {
    case "text" where argument == "list":
      return
        "\(children(find("list", in: window)).filter { gtk_widget_get_visible($0) != 0 }.count)"
    case "text": return find(argument, in: window)?.control.text ?? ""
    case "place": return place(find(argument, in: window))
    case "scan": search?.start(Path(argument))
    case "close": gtk_window_close(window?.cast())
    case "flood": flood(Int(argument) ?? 0)
    case "count": return "\(delivered)"
    default: return "?"
    }
    return "ok"
  }

  private static func children(_ widget: Widget?) -> [Widget] {
    Array(
      sequence(state: gtk_widget_get_first_child(widget)) { next in
        defer { next = next.flatMap { gtk_widget_get_next_sibling($0) } }
        return next
      })
  }

  private static func find(_ name: String, in widget: Widget?) -> Widget? {
    guard let widget else { return nil }
    if String(cString: gtk_widget_get_name(widget)) == name { return widget }
    return children(widget).lazy.compactMap { find(name, in: $0) }.first
  }

  private static func place(_ widget: Widget?) -> String {
    guard let widget, let root = gtk_widget_get_root(widget) else { return "" }
    var (x, y, left, top) = (0.0, 0.0, 0.0, 0.0)
    let (width, height) = (gtk_widget_get_width(widget), gtk_widget_get_height(widget))
    gtk_widget_translate_coordinates(
      widget, UnsafeMutableRawPointer(root).assumingMemoryBound(to: GtkWidget.self),
      Double(width) / 2, Double(height) / 2, &x, &y)
    // The shadow of the window belongs to its surface.
    gtk_native_get_surface_transform(root, &left, &top)
    return "\(Int(x + left)) \(Int(y + top))"
  }

  private static func flood(_ number: Int) {
    rate.set(number)
    if isFlooding { return }
    isFlooding = true
    let (sent, rate) = (sent, rate)
    DispatchQueue(label: "flood").async {
      var (count, last) = (0.0, g_get_monotonic_time())
      while true {
        usleep(1000)
        let now = g_get_monotonic_time()
        count += Double(rate.value) * Double(now - last) / 1e6
        last = now
        while count >= 1 {
          sent.invoke(0)
          count -= 1
        }
      }
    }
  }
}
