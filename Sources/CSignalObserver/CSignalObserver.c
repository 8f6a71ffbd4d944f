#include "CSignalObserver.h"

_Thread_local void *_Nullable signal_observer_reader;
_Thread_local void *_Nullable signal_observer_drain;
_Thread_local void *_Nullable signal_observer_cause;
_Thread_local void *_Nullable signal_observer_reads;

uint64_t signal_observer_stamps;
