// Finds files with the same content, in a window.
//
//     swift run --package-path Examples/Desktop desktop [FOLDER]

import CGtk
import DuplicateFinder
import SignalObserver

g_set_prgname("duplicates")
gtk_init()
runMainQueueInGLib()
// Weak: the window alone holds the search.
weak var search: Search?
do {
  let new = Search()
  search = new
  _ = Window(new)
  if let folder = CommandLine.arguments.dropFirst().first { new.start(Path(folder)) }
}
if let path = g_getenv("DESKTOP_TEST_SOCKET") { TestSocket.open(String(cString: path)) }

while g_list_model_get_n_items(gtk_window_get_toplevels()) > 0 {
  g_main_context_iteration(nil, 1)
}
precondition(search == nil, "a connection has outlived the window")
