/*===- launch.c - Calls a kernel of an object file with given arguments ----===//
 *
 * Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===------------------------------------------------------------------------===//
 *
 *   launch INPUT OUTPUT none|stack|scratch
 *
 * INPUT, as objects.py writes it, is numbers of 64 bits: the number of slots and the slots; the
 * number of pointers, and for each its slot and its place in the data behind; the places of o and
 * lse and their bytes; the bytes of the data, and the data. OUTPUT gets o and lse. The executor is
 * NULL, or starts threads whose scratch memory is on their stacks, or given.
 *
 * Compiled with -DIMAGE="kernel.so" and -DQUERY_BLOCK=N it has the system load that image, and
 * calls the code of a block of queries instead.
 *
 *===------------------------------------------------------------------------===*/

#include "kernel.h"
#ifdef IMAGE
#include <dlfcn.h>
#endif
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOIN(a, b) a##b
#define NAME_OF(kernel, suffix) JOIN(kernel, suffix)
#define ARGS NAME_OF(KERNEL, _args)
#define SCRATCH_BYTES NAME_OF(KERNEL, _scratch_bytes)

enum { THREADS = 3 };

static void fail(const char *what) {
  fprintf(stderr, "launch: %s\n", what);
  exit(1);
}

static int64_t readNumber(FILE *file) {
  int64_t number = 0;
  if (fread(&number, sizeof number, 1, file) != 1)
    fail("the input is too short");
  return number;
}

#ifndef IMAGE
struct Call {
  void (*body)(void *argument, int64_t i);
  void *argument;
  int64_t i;
};

static void *run(void *call) {
  const struct Call *one = (const struct Call *)call;
  one->body(one->argument, one->i);
  return NULL;
}

/* Each call on a thread of its own. */
static void runOnThreads(void *context, int64_t count, void (*body)(void *argument, int64_t i),
                         void *argument) {
  pthread_t threads[THREADS];
  struct Call calls[THREADS];
  if (count < 1 || count > THREADS)
    fail("more calls than threads");
  *(int64_t *)context = count;
  for (int64_t i = 0; i < count; ++i) {
    calls[i].body = body;
    calls[i].argument = argument;
    calls[i].i = i;
    if (pthread_create(&threads[i], NULL, run, &calls[i]) != 0)
      fail("no thread");
  }
  for (int64_t i = 0; i < count; ++i)
    pthread_join(threads[i], NULL);
}

static void expect(int got, int wanted, const char *what) {
  if (got == wanted)
    return;
  fprintf(stderr, "launch: %s: expected %d, got %d\n", what, wanted, got);
  exit(1);
}

/* What is refused, each beside arguments that are right otherwise. */
static void checkRefusals(const ARGS *args) {
  ARGS wrong = *args;
  attnc_executor executor = {0};
  wrong.B = -1;
  expect(KERNEL(&wrong, NULL), ATTNC_WRONG_SIZE, "a negative size");
  int64_t *sizes[] = {&wrong.B, &wrong.Hq, &wrong.Hkv, &wrong.Q, &wrong.KV};
  for (int i = 0; i < 5; ++i) {
    wrong = *args;
    wrong.B = 0; /* nothing is computed with a size that is not refused */
    *sizes[i] = (int64_t)1 << 31;
    expect(KERNEL(&wrong, NULL), ATTNC_WRONG_SIZE, "a size of 32 bits");
    *sizes[i] = INT64_MAX / 2;
    expect(KERNEL(&wrong, NULL), ATTNC_WRONG_SIZE, "a size of 62 bits");
  }
  wrong = *args;
  wrong.B = wrong.Hq = wrong.Hkv = wrong.Q = INT32_MAX;
  expect(KERNEL(&wrong, NULL), ATTNC_WRONG_SIZE, "too many blocks");
  wrong.B = 0;
  expect(KERNEL(&wrong, NULL), ATTNC_LAUNCHED, "sizes of 31 bits");
  expect(KERNEL(NULL, NULL), ATTNC_NO_TENSOR, "no arguments");
  wrong = *args;
  wrong.Hkv = args->Hq + 1;
  expect(KERNEL(&wrong, NULL), ATTNC_WRONG_SIZE, "heads that are no multiple");
  wrong.Hkv = 0;
  expect(KERNEL(&wrong, NULL), ATTNC_WRONG_SIZE, "no heads of keys");
  wrong = *args;
  wrong.q.data = NULL;
  expect(KERNEL(&wrong, NULL), ATTNC_NO_TENSOR, "no q");
  wrong = *args;
  wrong.v.data = NULL;
  expect(KERNEL(&wrong, NULL), ATTNC_NO_TENSOR, "no v");
  wrong = *args;
  wrong.lse.data = NULL;
  expect(KERNEL(&wrong, NULL), ATTNC_NO_TENSOR, "no lse");
  wrong.Q = 0;
  expect(KERNEL(&wrong, NULL), ATTNC_LAUNCHED, "nothing to compute");
  executor.parallel_for = runOnThreads;
  expect(KERNEL(args, &executor), ATTNC_WRONG_EXECUTOR, "no threads");
  executor.threads = 1048577;
  expect(KERNEL(args, &executor), ATTNC_WRONG_EXECUTOR, "too many threads");
  executor.threads = 1;
  executor.scratch = &((char *)&executor)[1];
  expect(KERNEL(args, &executor), ATTNC_WRONG_EXECUTOR, "scratch memory that is not aligned");
  if (args->Q > 0 && args->B > 0 && *(const char *)args->o.data != 0)
    fail("what was refused has written");
}

#endif

#ifdef IMAGE
#define TEXT(x) #x
#define TEXT_OF(x) TEXT(x)
static void launch(const int64_t *slots, void *scratch) {
  void (*block)(const int64_t *, int64_t, int64_t, int64_t, int64_t, void *);
  void *image = dlopen(IMAGE, RTLD_NOW);
  void *address = image ? dlsym(image, TEXT_OF(KERNEL)) : NULL;
  if (!address)
    fail("the system does not load the image");
  memcpy(&block, &address, sizeof block);
  for (int64_t b = 0; b < slots[0]; ++b)
    for (int64_t h = 0; h < slots[1]; ++h)
      for (int64_t q = 0; q < slots[3]; q += QUERY_BLOCK)
        block(slots, b, h, q, q + QUERY_BLOCK < slots[3] ? q + QUERY_BLOCK : slots[3], scratch);
}
#else
static void launch(const int64_t *slots, void *scratch, const char *how) {
  /* The struct of the header is these slots. */
  ARGS args;
  memcpy(&args, slots, sizeof args);
  checkRefusals(&args);
  int64_t used = 0;
  attnc_executor executor = {0};
  executor.parallel_for = runOnThreads;
  executor.context = &used;
  executor.threads = THREADS;
  int isAlone = strcmp(how, "none") == 0;
  if (strcmp(how, "scratch") == 0)
    executor.scratch = scratch;
  expect(KERNEL(&args, isAlone ? NULL : &executor), ATTNC_LAUNCHED, "the launch");
  if (!isAlone && args.Q > 32 && used < 2)
    fail("one thread has done all");
}
#endif

int main(int count, char **words) {
  FILE *file = count == 4 ? fopen(words[1], "rb") : NULL;
  if (!file)
    fail("expected INPUT OUTPUT none|stack|scratch");
  int64_t slots[256] = {0};
  int64_t numSlots = readNumber(file);
  if (numSlots * (int64_t)sizeof(int64_t) != (int64_t)sizeof(ARGS))
    fail("the arguments are others than the header's");
  for (int64_t i = 0; i < numSlots; ++i)
    slots[i] = readNumber(file);
  int64_t pointers[64][2];
  int64_t numPointers = readNumber(file);
  for (int64_t i = 0; i < numPointers; ++i) {
    pointers[i][0] = readNumber(file);
    pointers[i][1] = readNumber(file);
  }
  int64_t outputs[4];
  for (int i = 0; i < 4; ++i)
    outputs[i] = readNumber(file);
  int64_t bytes = readNumber(file);
  char *data = (char *)malloc((size_t)bytes + 1);
  if (!data || fread(data, 1, (size_t)bytes, file) != (size_t)bytes)
    fail("the input is too short");
  fclose(file);

  for (int64_t i = 0; i < numPointers; ++i) {
    void *address = data + pointers[i][1];
    memcpy(&slots[pointers[i][0]], &address, sizeof address);
  }
  char *memory = (char *)malloc((size_t)SCRATCH_BYTES * THREADS + 64);
  if (!memory)
    fail("no memory");
  char *scratch = memory + (64 - (uintptr_t)memory % 64) % 64;
#ifdef IMAGE
  launch(slots, scratch);
#else
  launch(slots, scratch, words[3]);
#endif

  file = fopen(words[2], "wb");
  if (!file || fwrite(data + outputs[0], 1, (size_t)outputs[1], file) != (size_t)outputs[1] ||
      fwrite(data + outputs[2], 1, (size_t)outputs[3], file) != (size_t)outputs[3])
    fail("cannot write");
  fclose(file);
  free(memory);
  free(data);
  return 0;
}
