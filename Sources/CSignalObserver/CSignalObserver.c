#include "CSignalObserver.h"

_Thread_local struct signal_observer_thread signal_observer_current;

// Declared here, because this file includes nothing of a system.
#if defined(__linux__)
extern uintptr_t pthread_self(void);
extern int pthread_getattr_np(uintptr_t thread, void *_Nonnull attributes);
extern int pthread_attr_getstack(
    const void *_Nonnull attributes, void *_Nullable *_Nonnull end, uintptr_t *_Nonnull size);
extern int pthread_attr_destroy(void *_Nonnull attributes);
extern unsigned long getauxval(unsigned long type);
extern int getrlimit(int resource, void *_Nonnull limits);
#elif defined(__APPLE__)
extern void *_Nonnull pthread_self(void);
extern void *_Nonnull pthread_get_stackaddr_np(void *_Nonnull thread);
extern uintptr_t pthread_get_stacksize_np(void *_Nonnull thread);
#endif

/// Finds the lowest address of the calling thread's stack, and the size of the stack.
static void find_stack(uintptr_t *_Nonnull end, uintptr_t *_Nonnull size) {
#if defined(__linux__)
  // Larger than any system's attributes.
  uint64_t attributes[32];
  void *address;
  if (pthread_getattr_np(pthread_self(), attributes) == 0) {
    int result = pthread_attr_getstack(attributes, &address, size);
    pthread_attr_destroy(attributes);
    if (result == 0) {
      *end = (uintptr_t)address;
      // Of the main thread, musl says how much is mapped now, and not how much may be. That is the soft limit (of
      // resource 3, the first word of the answer), usually 8 MiB; more than that is not used. The address of AT_RANDOM
      // is where that stack begins, or little above.
      uint64_t limits[2] = {8 << 20};
      getrlimit(3, limits);
      const uintptr_t limit = (uintptr_t)limits[0], begin = getauxval(25);
      const uintptr_t usual = limit < 8 << 20 ? limit : 8 << 20;
      if (begin - *end < *size + 64 * 1024 && *size < usual) {
        *end -= usual - *size;
        *size = usual;
      }
      // So that a circle is stopped also where only the machine's memory limits the stack.
      const uintptr_t most = 512 << 20;
      if (*size > most) {
        *end += *size - most;
        *size = most;
      }
      return;
    }
  }
#elif defined(__APPLE__)
  *size = pthread_get_stacksize_np(pthread_self());
  *end = (uintptr_t)pthread_get_stackaddr_np(pthread_self()) - *size;
  return;
#endif
  *size = 512 * 1024;
  *end = (uintptr_t)__builtin_frame_address(0) - *size;
}

int signal_observer_is_near_stack_end(void) {
  struct signal_observer_thread *thread = &signal_observer_current;
  // Kept, because finding them may take a system call.
  if (thread->stack_size == 0) find_stack(&thread->stack_end, &thread->stack_size);
  uintptr_t size = thread->stack_size;
  // AddressSanitizer keeps variables elsewhere, and frames here.
  uintptr_t left = (uintptr_t)__builtin_frame_address(0) - thread->stack_end;
  return left < (size / 8 > 16384 ? size / 8 : 16384);
}
