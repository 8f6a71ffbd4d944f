#define _GNU_SOURCE

#include "CAllocationCount.h"

#include <errno.h>
#include <stddef.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

// Counts by standing in for the allocator: a symbol of the executable takes the place of a library's symbol of the same
// name, so all that the Swift runtime allocates passes here. The count is the thread's own, so that tests which run
// meanwhile on other threads do not add to it.

static _Thread_local long count;

long allocation_count(void) { return count; }

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define HAS_OTHER_ALLOCATOR 1
#endif
#endif

#if defined(__GLIBC__) && !defined(HAS_OTHER_ALLOCATOR)

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t number, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
  count++;
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count++;
  return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
  count++;
  return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count++;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  count++;
  *result = __libc_memalign(alignment, size);
  return *result == NULL ? ENOMEM : 0;
}

bool allocation_count_is_available(void) { return true; }

long allocated_bytes(void) {
  struct mallinfo2 all = mallinfo2();
  return (long)(all.uordblks + all.hblkhd);
}

#else

bool allocation_count_is_available(void) { return false; }

long allocated_bytes(void) { return 0; }

#endif
