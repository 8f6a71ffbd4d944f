#include "CSignalObserver.h"

_Thread_local void *_Nullable signal_observer_emission;
_Thread_local void *_Nullable signal_observer_reads;
_Thread_local void *_Nullable signal_observer_connecting;

