#include "CSignalObserver.h"

_Thread_local void *_Nullable signal_observer_emission;
_Thread_local void *_Nullable signal_observer_reads;
_Thread_local void *_Nullable signal_observer_connecting;

int signal_observer_moves_variables(void) {
#if __has_feature(address_sanitizer)
  return 1;
#else
  return 0;
#endif
}

