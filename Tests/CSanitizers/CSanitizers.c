#define _GNU_SOURCE

#include "CSanitizers.h"

// Makes Synchronization.Mutex known to ThreadSanitizer on Linux.
//
// Its uncontended path is inlined into instrumented code, so the sanitizer sees it. Its contended
// path is in the toolchain's library, which is not instrumented: there, one thread's unlocking is
// not seen to precede another's locking, and whatever the mutex guards is reported as a race. A
// symbol of the executable takes the place of a library's symbol of the same name, so the three
// functions below stand in for that path: each tells the sanitizer what happens and calls the
// function that it stands in for. Without the sanitizer, this file is empty but for two functions.

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) && defined(__linux__)
#define STANDS_IN 1
#endif
#endif

#ifdef STANDS_IN

#include <dlfcn.h>
#include <stdint.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

// The mangled names of _MutexHandle._lockSlow(UInt32), _unlockSlow() and _tryLockSlow(), methods called with Swift's
// convention: the handle, which is the lock's word itself, is in the context register.
#define HANDLE_METHOD(suffix) "$s15Synchronization12_MutexHandleV" suffix
#define LOCK HANDLE_METHOD("9_lockSlowyys6UInt32VF")
#define UNLOCK HANDLE_METHOD("11_unlockSlowyyF")
#define TRY_LOCK HANDLE_METHOD("12_tryLockSlowSbyF")

#define SWIFT_METHOD __attribute__((swiftcall))
#define SWIFT_SELF __attribute__((swift_context))

static SWIFT_METHOD void (*library_lock)(uint32_t, SWIFT_SELF void *);
static SWIFT_METHOD void (*library_unlock)(SWIFT_SELF void *);
static SWIFT_METHOD bool (*library_try_lock)(SWIFT_SELF void *);

// Before main, hence before there is a second thread.
__attribute__((constructor)) static void find_library_functions(void) {
  *(void **)&library_lock = dlsym(RTLD_NEXT, LOCK);
  *(void **)&library_unlock = dlsym(RTLD_NEXT, UNLOCK);
  *(void **)&library_try_lock = dlsym(RTLD_NEXT, TRY_LOCK);
}

SWIFT_METHOD void stand_in_lock(uint32_t thread, SWIFT_SELF void *handle) __asm__(LOCK);
SWIFT_METHOD void stand_in_lock(uint32_t thread, SWIFT_SELF void *handle) {
  library_lock(thread, handle);
  __tsan_acquire(handle);
}

SWIFT_METHOD void stand_in_unlock(SWIFT_SELF void *handle) __asm__(UNLOCK);
SWIFT_METHOD void stand_in_unlock(SWIFT_SELF void *handle) {
  __tsan_release(handle);
  library_unlock(handle);
}

SWIFT_METHOD bool stand_in_try_lock(SWIFT_SELF void *handle) __asm__(TRY_LOCK);
SWIFT_METHOD bool stand_in_try_lock(SWIFT_SELF void *handle) {
  bool is_locked = library_try_lock(handle);
  if (is_locked) __tsan_acquire(handle);
  return is_locked;
}

#endif

bool built_with_thread_sanitizer(void) {
#ifdef STANDS_IN
  return true;
#elif defined(__has_feature)
  return __has_feature(thread_sanitizer);
#else
  return false;
#endif
}

bool built_with_address_sanitizer(void) {
#if defined(__has_feature)
  return __has_feature(address_sanitizer);
#else
  return false;
#endif
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)

// The runtime keeps what a weak reference needs in memory that the object points to by an encoded address, which the leak
// sanitizer does not recognise. Of an object that lives for ever, such as a global actor, that memory looks leaked. An
// object that is leaked is reported itself.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:formWeakReference\n"; }

#endif
#endif
