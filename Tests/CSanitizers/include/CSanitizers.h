#ifndef C_SANITIZERS_H
#define C_SANITIZERS_H

#include <stdbool.h>

/// Whether this is a build under ThreadSanitizer.
///
/// A function, not an inline one: Swift compiles inline ones itself, without knowing of the sanitizer.
bool built_with_thread_sanitizer(void);

/// Whether this is a build under AddressSanitizer.
bool built_with_address_sanitizer(void);

#endif
