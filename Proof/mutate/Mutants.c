// Beside the C sources of a copy: which mutant a run has, and which test reaches which mutant.

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// The file that MUTANT_REACH names: this, and for each test a row of a byte for each mutant. It is
// shared with the programs that a test starts.
struct reach {
  int32_t row, width;
  unsigned char rows[];
};

// The number of the mutant; a negative one if the thread's next lock is not taken.
static int32_t chosen;
static struct reach *reach;
// For each test, 1 if it is to run.
static const char *chosen_tests;
static _Thread_local bool is_unlocked;

__attribute__((constructor)) static void begin(void) {
  const char *number = getenv("MUTANT"), *path = getenv("MUTANT_REACH");
  if (number) chosen = atoi(number);
  chosen_tests = getenv("MUTANT_TESTS");
  if (!path) return;
  struct stat status;
  int file = open(path, O_RDWR);
  if (file < 0 || fstat(file, &status) < 0) abort();
  reach = mmap(NULL, status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (reach == MAP_FAILED) abort();
  close(file);
}

__attribute__((no_sanitize("thread"))) bool signal_observer_mutant(int32_t number) {
  if (reach) reach->rows[reach->row * reach->width + number] = 1;
  if (number == -chosen) is_unlocked = true;
  return number == abs(chosen);
}

// Whether the thread takes its next lock.
bool signal_observer_takes_lock(void) {
  bool result = !is_unlocked;
  is_unlocked = false;
  return result;
}

// Whether the test is to run. What happens until the next one begins is part of it.
bool signal_observer_test(int32_t number) {
  if (chosen_tests && chosen_tests[number] != '1') return false;
  if (reach) reach->row = number;
  return true;
}
