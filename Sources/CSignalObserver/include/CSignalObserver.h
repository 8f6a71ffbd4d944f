// Includes nothing of a system, so that it compiles where there is no SDK: Scripts/check does so for other systems. On
// Windows, a thread-local variable cannot be imported from a DLL. These stay inside the library's image: the library
// imports this module internally, and so reads them in no inlinable code.
#ifndef C_SIGNAL_OBSERVER_H
#define C_SIGNAL_OBSERVER_H

#include <stdint.h>

/// The innermost reader of a list of slots on the calling thread, or null.
///
/// Swift has no spelling for a thread-local variable. An emission must know whether it was made from
/// inside another one of the same signal on the same thread (guarantee 5), and asking costs a load
/// here, where a lock would cost a contended read-modify-write.
extern _Thread_local void *_Nullable signal_observer_reader;

static inline void *_Nullable signal_observer_get_reader(void) {
  return signal_observer_reader;
}

static inline void signal_observer_set_reader(void *_Nullable reader) {
  signal_observer_reader = reader;
}

/// The innermost drain of a lane on the calling thread, or null.
extern _Thread_local void *_Nullable signal_observer_drain;

static inline void *_Nullable signal_observer_get_drain(void) {
  return signal_observer_drain;
}

static inline void signal_observer_set_drain(void *_Nullable drain) {
  signal_observer_drain = drain;
}

/// The identity of the calling thread, among those that run.
static inline const void *_Nonnull signal_observer_thread(void) {
  return &signal_observer_reader;
}

/// The record of why the calling thread emits, or null (`Cause.swift`).
extern _Thread_local void *_Nullable signal_observer_cause;

static inline void *_Nullable signal_observer_get_cause(void) {
  return signal_observer_cause;
}

static inline void signal_observer_set_cause(void *_Nullable cause) {
  signal_observer_cause = cause;
}

/// How many changes have been numbered, and one; zero until the first binding is made.
extern uint64_t signal_observer_stamps;

/// Has changes numbered from now on.
static inline void signal_observer_begin_stamps(void) {
  uint64_t none = 0;
  __atomic_compare_exchange_n(
      &signal_observer_stamps, &none, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/// The number of a change that is made now, higher than all before; zero if nobody needs numbers.
static inline uint64_t signal_observer_next_stamp(void) {
  // Relaxed: the lock of each value orders its own, and those who begin take it afterwards.
  if (__atomic_load_n(&signal_observer_stamps, __ATOMIC_RELAXED) == 0) return 0;
  return __atomic_fetch_add(&signal_observer_stamps, 1, __ATOMIC_RELAXED);
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
