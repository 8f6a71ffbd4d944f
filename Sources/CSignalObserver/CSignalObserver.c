#include "CSignalObserver.h"

_Thread_local void *_Nullable signal_observer_emission;
_Thread_local void *_Nullable signal_observer_reads;
_Thread_local void *_Nullable signal_observer_connecting;
_Thread_local uintptr_t signal_observer_thread_number;

uintptr_t signal_observer_number_thread(void) {
  static uintptr_t count;
  return signal_observer_thread_number = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
}

int signal_observer_moves_variables(void) {
#if __has_feature(address_sanitizer)
  return 1;
#else
  return 0;
#endif
}

// Declared here, because this file includes nothing of a system.
#if defined(__linux__)
extern uintptr_t pthread_self(void);
extern int pthread_getattr_np(uintptr_t thread, void *_Nonnull attributes);
extern int pthread_attr_getstack(
    const void *_Nonnull attributes, void *_Nullable *_Nonnull end, uintptr_t *_Nonnull size);
extern int pthread_attr_destroy(void *_Nonnull attributes);
#elif defined(__APPLE__)
extern void *_Nonnull pthread_self(void);
extern uintptr_t pthread_get_stacksize_np(void *_Nonnull thread);
#endif

static uintptr_t find_stack_size(void) {
#if defined(__linux__)
  // Larger than any system's attributes.
  uint64_t attributes[32];
  void *end;
  uintptr_t size;
  if (pthread_getattr_np(pthread_self(), attributes) == 0) {
    int result = pthread_attr_getstack(attributes, &end, &size);
    pthread_attr_destroy(attributes);
    if (result == 0) return size;
  }
#elif defined(__APPLE__)
  return pthread_get_stacksize_np(pthread_self());
#endif
  return 512 * 1024;
}

uintptr_t signal_observer_stack_size(void) {
  // Kept, because finding it may take a system call.
  static _Thread_local uintptr_t size;
  if (size == 0) size = find_stack_size();
  return size;
}
