#ifndef C_GTK_H
#define C_GTK_H

// Debian 12 has GTK 4.8, where the file chooser is not deprecated yet, and its successor is missing.
#define GDK_DISABLE_DEPRECATION_WARNINGS
#include <glib-unix.h>
#include <gtk/gtk.h>

// libdispatch exports these two for the run loop of Foundation, and has no public header for them. They are declared
// here, in C, because `@_silgen_name` would call them with Swift's convention, which nobody promises to be C's.

/// A descriptor that is readable whenever the main queue has work: an eventfd on Linux.
int _dispatch_get_main_queue_handle_4CF(void);
/// Runs what the main queue has now. Only the main thread may call it.
void _dispatch_main_queue_callback_4CF(void *_Nullable message);

#endif
