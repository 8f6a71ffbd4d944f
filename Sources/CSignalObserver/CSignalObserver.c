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

