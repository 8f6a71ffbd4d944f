// Includes nothing of a system, so that it compiles where there is no SDK: Scripts/check does so for other systems. On
// Windows, a thread-local variable cannot be imported from a DLL. These stay inside the library's image: the library
// imports this module internally, and so reads them in no inlinable code.
#ifndef C_SIGNAL_OBSERVER_H
#define C_SIGNAL_OBSERVER_H

/// The innermost emission that runs on the calling thread, or null.
///
/// Swift has no spelling for a thread-local variable. An emission must know whether it was made from
/// inside another one of the same signal on the same thread (guarantee 5), and asking costs a load
/// here, where a lock would cost a contended read-modify-write.
extern _Thread_local void *_Nullable signal_observer_emission;

static inline void *_Nullable signal_observer_get_emission(void) {
  return signal_observer_emission;
}

static inline void signal_observer_set_emission(void *_Nullable emission) {
  signal_observer_emission = emission;
}

/// Where the calling thread notes the values that it reads, or null.
extern _Thread_local void *_Nullable signal_observer_reads;

static inline void *_Nullable signal_observer_get_reads(void) {
  return signal_observer_reads;
}

static inline void signal_observer_set_reads(void *_Nullable reads) {
  signal_observer_reads = reads;
}

#endif
