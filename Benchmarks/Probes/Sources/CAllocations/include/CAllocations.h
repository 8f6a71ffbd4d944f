#ifndef C_ALLOCATIONS_H
#define C_ALLOCATIONS_H

#include <stdbool.h>

/// Whether this platform lets the program count its allocations; false answers zeroes below.
bool allocations_are_counted(void);

/// Calls of malloc, calloc, realloc, posix_memalign, aligned_alloc and memalign by the whole process so far.
long allocations_made(void);

/// Bytes that are allocated now, as the allocator rounds them.
long allocations_live_bytes(void);

/// Bytes of memory that the process occupies, or 0 if the platform does not say.
long allocations_resident_bytes(void);

/// Does nothing. Before each call, callgrind writes what it has counted, and then counts anew.
void instructions_mark(void);

#endif
