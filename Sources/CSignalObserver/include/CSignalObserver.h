#ifndef C_SIGNAL_OBSERVER_H
#define C_SIGNAL_OBSERVER_H

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

/// Where the calling thread notes the values that it reads, or null.
extern _Thread_local void *_Nullable signal_observer_reads;

static inline void *_Nullable signal_observer_get_reads(void) {
  return signal_observer_reads;
}

static inline void signal_observer_set_reads(void *_Nullable reads) {
  signal_observer_reads = reads;
}

#endif
