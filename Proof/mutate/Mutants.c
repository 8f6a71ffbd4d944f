// Beside the C sources of a copy: which mutant a run has, and which test reaches which mutant.

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// The file that MUTANT_REACH names: this, and for each test a row of a byte for each mutant. It is
// shared with the programs that a test starts. Row 0 is what happens between two tests.
struct reach {
  int32_t row, previous, width;
  unsigned char rows[];
};

static int32_t chosen = -1;
static struct reach *reach;
static unsigned char *chosen_tests;
static _Thread_local int is_unlocked;

static void *map(const char *variable, int is_written) {
  const char *path = getenv(variable);
  struct stat status;
  if (!path) return NULL;
  int file = open(path, is_written ? O_RDWR : O_RDONLY);
  if (file < 0 || fstat(file, &status) < 0) abort();
  int protection = is_written ? PROT_READ | PROT_WRITE : PROT_READ;
  void *address = mmap(NULL, status.st_size, protection, MAP_SHARED, file, 0);
  if (address == MAP_FAILED) abort();
  close(file);
  return address;
}

__attribute__((constructor)) static void begin(void) {
  const char *number = getenv("MUTANT");
  if (number) chosen = atoi(number);
  reach = map("MUTANT_REACH", 1);
  chosen_tests = map("MUTANT_TESTS", 0);
}

__attribute__((no_sanitize("thread"))) int32_t signal_observer_mutant(int32_t number) {
  if (reach) reach->rows[reach->row * reach->width + number] = 1;
  return number == chosen;
}

// The thread's next lock is not taken.
int32_t signal_observer_mutant_unlocked(int32_t number) {
  if (!signal_observer_mutant(number)) return 0;
  is_unlocked = 1;
  return 1;
}

int32_t signal_observer_takes_no_lock(void) {
  int32_t result = is_unlocked;
  is_unlocked = 0;
  return result;
}

// Whether the test is to run.
int32_t signal_observer_test(int32_t number) {
  if (chosen_tests && !chosen_tests[number]) return 0;
  if (!reach) return 1;
  // What happens between two tests may belong to either.
  for (int32_t i = 0; i < reach->width; i++) {
    reach->rows[number * reach->width + i] |= reach->rows[i];
    reach->rows[reach->previous * reach->width + i] |= reach->rows[i];
    reach->rows[i] = 0;
  }
  reach->row = number;
  return 1;
}

void signal_observer_test_ends(void) {
  if (!reach) return;
  reach->previous = reach->row;
  reach->row = 0;
}
