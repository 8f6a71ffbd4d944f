// Linking this target replaces the allocator's entry points for the whole process, shared libraries included: the dynamic
// linker looks in the executable first. Each one counts and passes on to glibc's own.

#define _GNU_SOURCE
#include "CAllocations.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__GLIBC__)

#include <malloc.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static atomic_long made;
static atomic_long live;

static void *counted(void *memory) {
  atomic_fetch_add_explicit(&made, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&live, (long)malloc_usable_size(memory), memory_order_relaxed);
  return memory;
}

static void uncount(void *memory) {
  atomic_fetch_sub_explicit(&live, (long)malloc_usable_size(memory), memory_order_relaxed);
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }
void *calloc(size_t count, size_t size) { return counted(__libc_calloc(count, size)); }
void *memalign(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }
void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
  void *memory = memalign(alignment, size);
  if (memory == NULL) return ENOMEM;
  *result = memory;
  return 0;
}

void *realloc(void *memory, size_t size) {
  uncount(memory);
  void *moved = __libc_realloc(memory, size);
  if (moved == NULL && size != 0) {
    // Out of memory: the old block stays.
    atomic_fetch_add_explicit(&live, (long)malloc_usable_size(memory), memory_order_relaxed);
    return NULL;
  }
  return counted(moved);
}

void free(void *memory) {
  uncount(memory);
  __libc_free(memory);
}

bool allocations_are_counted(void) { return true; }
long allocations_made(void) { return atomic_load_explicit(&made, memory_order_relaxed); }
long allocations_live_bytes(void) { return atomic_load_explicit(&live, memory_order_relaxed); }

#else

bool allocations_are_counted(void) { return false; }
long allocations_made(void) { return 0; }
long allocations_live_bytes(void) { return 0; }

#endif

#if defined(__linux__)

long allocations_resident_bytes(void) {
  FILE *file = fopen("/proc/self/statm", "r");
  if (file == NULL) return 0;
  long size = 0, resident = 0;
  int read = fscanf(file, "%ld %ld", &size, &resident);
  fclose(file);
  return read == 2 ? resident * sysconf(_SC_PAGESIZE) : 0;
}

#elif defined(__APPLE__)

#include <mach/mach.h>

long allocations_resident_bytes(void) {
  struct mach_task_basic_info info;
  mach_msg_type_number_t count = MACH_TASK_BASIC_INFO_COUNT;
  kern_return_t result = task_info(mach_task_self(), MACH_TASK_BASIC_INFO, (task_info_t)&info, &count);
  return result == KERN_SUCCESS ? (long)info.resident_size : 0;
}

#else

long allocations_resident_bytes(void) { return 0; }

#endif

__attribute__((noinline)) void instructions_mark(void) { __asm__ volatile(""); }
