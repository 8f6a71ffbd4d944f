#ifndef C_ALLOCATION_COUNT_H
#define C_ALLOCATION_COUNT_H

#include <stdbool.h>

/// Whether allocations are counted in this build: on Linux with glibc, and without a sanitizer, which brings its own
/// allocator.
bool allocation_count_is_available(void);

/// How many blocks the calling thread has allocated on the heap since it began.
long allocation_count(void);

/// How many bytes all threads have on the heap now, with what the allocator keeps for the next one; 0 where allocations are
/// not counted.
long allocated_bytes(void);

#endif
