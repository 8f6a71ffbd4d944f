#ifndef C_ALLOCATION_COUNT_H
#define C_ALLOCATION_COUNT_H

#include <stdbool.h>

/// Whether allocations are counted in this build: on Linux with glibc, and without a sanitizer, which brings its own
/// allocator.
bool allocation_count_is_available(void);

/// How many blocks the calling thread has allocated on the heap since it began.
long allocation_count(void);

#endif
