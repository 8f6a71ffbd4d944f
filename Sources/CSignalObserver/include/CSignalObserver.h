// Includes nothing of a system, so that it compiles where there is no SDK: Scripts/check does so for other systems. On
// Windows, a thread-local variable cannot be imported from a DLL. This one stays inside the library's image: no
// inlinable code of the library reads it.
#ifndef C_SIGNAL_OBSERVER_H
#define C_SIGNAL_OBSERVER_H

#include <stdint.h>

/// What the library knows of the calling thread.
///
/// Swift has no spelling for a thread-local variable.
struct signal_observer_thread {
  /// The innermost emission in progress, or null.
  ///
  /// An emission must know whether it was made from inside another one of the same signal on the same thread
  /// (guarantee 5). Asking costs a load here.
  void *_Nullable emission;
  /// Where the thread notes the values that it reads, or null.
  void *_Nullable reads;
  /// The number of the call that connects a slot, while the thread delivers for that slot, or zero.
  uintptr_t call;
  /// The set of a property that a binding makes, or null.
  void *_Nullable binding;
  /// How many getters and setters of values are in progress.
  uintptr_t accessors;
  /// How many items the thread has done for others in the outermost emission in progress, or in the drain inside it.
  uintptr_t lent;
  /// The number of the thread, or zero before it has one, and how many of its emissions have one.
  uintptr_t number, emissions;
  /// The lowest address of its stack, and the size of the stack; zero before they are known.
  uintptr_t stack_end, stack_size;
};

extern _Thread_local struct signal_observer_thread signal_observer_current;

/// The record of the calling thread.
static inline struct signal_observer_thread *_Nonnull signal_observer_this_thread(void) {
  return &signal_observer_current;
}

/// Whether the caller is in the last eighth of its thread's stack, or in the last 16 KiB.
///
/// Where the system does not say how large the stack is, it is taken to have 512 KiB below the first call. A caller on
/// a stack that is not its thread's is not near the end.
int signal_observer_is_near_stack_end(void);

// The accesses of `Atomic`, one function for each ordering in use, so that each is an instruction or two.

static inline intptr_t signal_observer_load_relaxed(const intptr_t *_Nonnull word) {
  return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static inline intptr_t signal_observer_load_acquire(const intptr_t *_Nonnull word) {
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static inline void signal_observer_store_relaxed(intptr_t *_Nonnull word, intptr_t value) {
  __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

static inline void signal_observer_store_release(intptr_t *_Nonnull word, intptr_t value) {
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static inline intptr_t signal_observer_add_relaxed(intptr_t *_Nonnull word, intptr_t value) {
  return __atomic_fetch_add(word, value, __ATOMIC_RELAXED);
}

static inline intptr_t signal_observer_add_acq_rel(intptr_t *_Nonnull word, intptr_t value) {
  return __atomic_fetch_add(word, value, __ATOMIC_ACQ_REL);
}

static inline void signal_observer_or_relaxed(intptr_t *_Nonnull word, intptr_t value) {
  __atomic_fetch_or(word, value, __ATOMIC_RELAXED);
}

static inline intptr_t signal_observer_and_relaxed(intptr_t *_Nonnull word, intptr_t value) {
  return __atomic_fetch_and(word, value, __ATOMIC_RELAXED);
}

/// Replaces `expected` by `desired`, and returns what was there. Relaxed.
static inline intptr_t signal_observer_compare_exchange(
    intptr_t *_Nonnull word, intptr_t expected, intptr_t desired) {
  __atomic_compare_exchange_n(word, &expected, desired, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}

#ifndef _WIN32
// `write` of <unistd.h>, by a name of our own for the same reason as below. Only debug builds call it.
#ifdef __APPLE__
#define SIGNAL_OBSERVER_WRITE "_write"
#else
#define SIGNAL_OBSERVER_WRITE "write"
#endif
extern intptr_t signal_observer_write(
    int file, const void *_Nonnull bytes, uintptr_t count) __asm__(SIGNAL_OBSERVER_WRITE);
#endif

#ifdef __APPLE__
// `os_unfair_lock` of <os/lock.h>, by names of our own: a second declaration of the same names would contradict that
// header, where an SDK has it. The lock is four bytes, zero when nobody holds it.
extern void signal_observer_lock(uint32_t *_Nonnull lock) __asm__("_os_unfair_lock_lock");
extern void signal_observer_unlock(uint32_t *_Nonnull lock) __asm__("_os_unfair_lock_unlock");
#endif

#endif
