import CGtk
import DuplicateFinder
import SignalObserver

/// Shows a search, and lets the user begin and cancel it.
///
/// The window of GTK owns this object. With the window end the search and every connection.
@MainActor final class Window {
  private let search: Search
  // GTK makes a widget or ends the program: none of these is nil.
  private let window = gtk_window_new()!
  private let choose = gtk_button_new_with_mnemonic("Choose a _Folder…")!
  private let cancel = gtk_button_new_with_mnemonic("_Cancel")!
  private let filter = gtk_entry_new()!
  private let bar = gtk_progress_bar_new()!
  private let state = gtk_label_new(nil)!
  private let totals = gtk_label_new(nil)!
  private let list = gtk_list_box_new()!
  private var rows: [(row: Widget, text: String)] = []

  init(_ search: Search) {
    self.search = search
    layOut()

    // From the user to the model.
    choose.clicked.connect(self, Window.chooseFolder)
    cancel.clicked.connect(search, Search.cancel)
    filter.text.signal.debounce(for: .milliseconds(200)).connect(self, Window.showOnly)

    // From the model to the user.
    search.$state.map { $0.rawValue }.bind(to: \.text, of: state.control)
    search.$state.map { $0 == .running }.bind(to: \.isEnabled, of: cancel.control)
    search.$progress.bind(to: \.fraction, of: bar.control)
    search.$totals.map { "\($0.groups) groups, \(size($0.bytes)) could be freed" }
      .bind(to: \.text, of: totals.control)
    search.began.connect(self, Window.clear)
    search.groupFound.connect(self, Window.add)

    // The slot holds this object, and GTK releases the slot.
    window.destroyed.connect { withExtendedLifetime(self) {} }
    gtk_window_present(window.cast())
  }

  private func chooseFolder() {
    let dialog = gtk_file_chooser_native_new(
      "Choose a Folder", window.cast(), GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, nil, nil)!
    let native = UnsafeMutablePointer<GtkNativeDialog>(dialog)
    gtk_native_dialog_set_modal(native, 1)
    responded(native).connect(self) { window, response in
      if response == GTK_RESPONSE_ACCEPT.rawValue, let file = gtk_file_chooser_get_file(dialog) {
        if let path = g_file_peek_path(file) { window.search.start(Path(cString: path)) }
        g_object_unref(UnsafeMutableRawPointer(file))
      }
      // The dialog ends, and with it this connection.
      g_object_unref(native)
    }
    gtk_native_dialog_show(native)
  }

  private func clear() {
    for (row, _) in rows { gtk_list_box_remove(list.opaque, row) }
    rows = []
  }

  private func add(_ group: DuplicateGroup) {
    let text =
      "\(group.paths.count) × \(size(group.size))\n"
      + group.paths.map { "    " + $0.description }.joined(separator: "\n")
    let label = gtk_label_new(text)!
    gtk_label_set_xalign(label.opaque, 0)
    gtk_label_set_ellipsize(label.opaque, PANGO_ELLIPSIZE_MIDDLE)
    gtk_list_box_append(list.opaque, label)
    // The list has put the label into a row.
    rows.append((gtk_widget_get_parent(label)!, text.lowercased()))
    show(rows.count - 1, filter.control.text)
  }

  private func showOnly(_ text: String) { for index in rows.indices { show(index, text) } }

  private func show(_ index: Int, _ text: String) {
    let isFitting = text.isEmpty || rows[index].text.contains(text.lowercased())
    gtk_widget_set_visible(rows[index].row, isFitting ? 1 : 0)
  }

  private func layOut() {
    gtk_window_set_title(window.cast(), "Duplicates")
    gtk_window_set_default_size(window.cast(), 720, 480)
    gtk_entry_set_placeholder_text(filter.cast(), "Show only names with…")
    gtk_widget_set_hexpand(filter, 1)
    gtk_label_set_xalign(totals.opaque, 0)
    gtk_widget_set_hexpand(totals, 1)
    gtk_widget_add_css_class(list, "rich-list")
    let scroll = gtk_scrolled_window_new()!
    gtk_scrolled_window_set_child(scroll.opaque, list)
    gtk_widget_set_vexpand(scroll, 1)
    let content = box(
      GTK_ORIENTATION_VERTICAL, box(GTK_ORIENTATION_HORIZONTAL, choose, cancel, filter), bar,
      scroll, box(GTK_ORIENTATION_HORIZONTAL, totals, state))
    gtk_window_set_child(window.cast(), content)
    // By these names a style sheet and the test find them.
    let widgets = [choose, cancel, filter, list, state, totals]
    for (name, widget) in zip(["choose", "cancel", "filter", "list", "state", "totals"], widgets) {
      gtk_widget_set_name(widget, name)
    }
  }

  private func box(_ orientation: GtkOrientation, _ children: Widget...) -> Widget {
    let box = gtk_box_new(orientation, 8)!
    gtk_widget_add_css_class(box, orientation == GTK_ORIENTATION_HORIZONTAL ? "toolbar" : "view")
    for child in children { gtk_box_append(box.cast(), child) }
    return box
  }
}

private func size(_ bytes: Int) -> String {
  guard let text = g_format_size(guint64(bytes)) else { return "" }
  defer { g_free(text) }
  return String(cString: text)
}
