// Includes nothing of a system, so that it compiles where there is no SDK: Scripts/check does so for other systems. On
// Windows, a thread-local variable cannot be imported from a DLL. These stay inside the library's image: no inlinable
// code of the library reads them.
#ifndef C_SIGNAL_OBSERVER_H
#define C_SIGNAL_OBSERVER_H

#include <stdint.h>

/// The innermost emission in progress on the calling thread, or null.
///
/// Swift has no spelling for a thread-local variable. An emission must know whether it was made from
/// inside another one of the same signal on the same thread (guarantee 5). Asking costs a load here.
extern _Thread_local void *_Nullable signal_observer_emission;

static inline void *_Nullable signal_observer_get_emission(void) {
  return signal_observer_emission;
}

static inline void signal_observer_set_emission(void *_Nullable emission) {
  signal_observer_emission = emission;
}

/// The number of the calling thread, or zero before it has one.
extern _Thread_local uintptr_t signal_observer_thread_number;

uintptr_t signal_observer_number_thread(void);

/// The number of the calling thread, which no other thread has, before or after it.
///
/// An address would not do: the system gives that of a thread that has ended to a new one.
static inline uintptr_t signal_observer_thread(void) {
  uintptr_t number = signal_observer_thread_number;
  return number ? number : signal_observer_number_thread();
}

/// Where the calling thread notes the values that it reads, or null.
extern _Thread_local void *_Nullable signal_observer_reads;

static inline void *_Nullable signal_observer_get_reads(void) {
  return signal_observer_reads;
}

static inline void signal_observer_set_reads(void *_Nullable reads) {
  signal_observer_reads = reads;
}

/// What the calling thread connects, or null.
extern _Thread_local void *_Nullable signal_observer_connecting;

static inline void *_Nullable signal_observer_get_connecting(void) {
  return signal_observer_connecting;
}

static inline void signal_observer_set_connecting(void *_Nullable connecting) {
  signal_observer_connecting = connecting;
}

/// Whether an address of the calling thread's stack is in the last eighth of it, or in the last 16 KiB.
///
/// Where the system does not say how large the stack is, it is taken to have 512 KiB below the first call. No address
/// elsewhere is near the end. With AddressSanitizer, which keeps variables elsewhere, none is.
int signal_observer_is_near_stack_end(const void *_Nonnull address);

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

static inline intptr_t signal_observer_add_acquire(intptr_t *_Nonnull word, intptr_t value) {
  return __atomic_fetch_add(word, value, __ATOMIC_ACQUIRE);
}

static inline intptr_t signal_observer_add_release(intptr_t *_Nonnull word, intptr_t value) {
  return __atomic_fetch_add(word, value, __ATOMIC_RELEASE);
}

static inline intptr_t signal_observer_add_acq_rel(intptr_t *_Nonnull word, intptr_t value) {
  return __atomic_fetch_add(word, value, __ATOMIC_ACQ_REL);
}

static inline void signal_observer_or_relaxed(intptr_t *_Nonnull word, intptr_t value) {
  __atomic_fetch_or(word, value, __ATOMIC_RELAXED);
}

static inline void signal_observer_and_relaxed(intptr_t *_Nonnull word, intptr_t value) {
  __atomic_fetch_and(word, value, __ATOMIC_RELAXED);
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
