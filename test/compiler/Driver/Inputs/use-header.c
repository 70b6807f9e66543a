/* Uses two generated headers; prints the PTX of one of them. */
#include "copy.h"
#include "every.h"
#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static int64_t slot(size_t offset) { return (int64_t)(offset / 8); }

static int64_t countBlocks(const every_arguments_t *arguments) {
  return every_plan(arguments, 132).blocks;
}

int main(void) {
  assert(slot(offsetof(every_arguments_t, scale)) == 5);
  assert(slot(offsetof(every_arguments_t, q)) == 6);
  assert(slot(offsetof(every_arguments_t, o)) == 18);
  assert(slot(offsetof(every_arguments_t, lse)) == 22);
  assert(slot(offsetof(every_arguments_t, extents)) == 26);
  assert(slot(offsetof(every_arguments_t, captures)) == 28);
  assert(slot(offsetof(every_arguments_t, scalars)) == 34);
  assert(strcmp(every_entry, "every") == 0 && strcmp(copy_entry, "copy") == 0);
  assert(strstr(copy_ptx, ".entry copy("));

  every_arguments_t arguments;
  memset(&arguments, 0, sizeof arguments);
  assert(countBlocks(&arguments) == 0);
  arguments.B = 2;
  arguments.Hq = 3;
  arguments.Q = 64;
  assert(countBlocks(&arguments) == 6);
  arguments.Q = 65;
  assert(countBlocks(&arguments) == 12);
  arguments.B = 1073741824;
  assert(countBlocks(&arguments) == -1);
  arguments.Hq = 1;
  arguments.Q = 64;
  assert(countBlocks(&arguments) == 1073741824);
  arguments.Q = 129;
  assert(countBlocks(&arguments) == -1);
  fputs(every_argument_ptx, stdout);
  return 0;
}
