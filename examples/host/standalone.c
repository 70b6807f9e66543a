/*===- standalone.c - A kernel as a function, without a runtime -----------===//
 *
 * Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===------------------------------------------------------------------------===//
 *
 *   attnc ../packed.attn --name packed --dtype f32 --head-dim 32 -o packed.o --header packed.h
 *   cc -I. standalone.c packed.o -o standalone -lm -lpthread
 *   ./standalone
 *
 * Two packed documents, first by this thread alone, then by threads of the program; compared with
 * attention as the textbook has it.
 *
 *===------------------------------------------------------------------------===*/

#include "packed.h"
#include <math.h>
#include <pthread.h>
#include <stdio.h>

enum { H = 4, S = 150, D = 32, THREADS = 4 };

static float q[H * S * D], k[H * S * D], v[H * S * D], o[H * S * D], slopes[H];
static int32_t doc[S];

struct Call {
  void (*body)(void *argument, int64_t i);
  void *argument;
  int64_t i;
};

static void *runCall(void *argument) {
  const struct Call *call = argument;
  call->body(call->argument, call->i);
  return NULL;
}

/* The parallel loop of the program. One that has a pool of threads would use that. */
static void runOnThreads(void *context, int64_t count, void (*body)(void *argument, int64_t i),
                         void *argument) {
  pthread_t threads[THREADS];
  struct Call calls[THREADS];
  int64_t started = 1;
  (void)context;
  for (; started < count; ++started) {
    calls[started] = (struct Call){body, argument, started};
    if (pthread_create(&threads[started], NULL, runCall, &calls[started]) != 0)
      break;
  }
  body(argument, 0);
  for (int64_t i = started; i < count; ++i)
    body(argument, i);
  for (int64_t i = 1; i < started; ++i)
    pthread_join(threads[i], NULL);
}

/* The largest difference of o from what it should be. */
static double compare(void) {
  double worst = 0;
  for (int h = 0; h < H; ++h)
    for (int i = 0; i < S; ++i) {
      double weights[S], sum = 0, largest = -INFINITY;
      for (int j = 0; j <= i; ++j) {
        double score = 0;
        for (int d = 0; d < D; ++d)
          score += (double)q[(h * S + i) * D + d] * k[(h * S + j) * D + d];
        weights[j] = doc[i] == doc[j] ? score / sqrt(D) + slopes[h] * (j - i) : -INFINITY;
        largest = fmax(largest, weights[j]);
      }
      for (int j = 0; j <= i; ++j)
        sum += weights[j] = exp(weights[j] - largest);
      for (int d = 0; d < D; ++d) {
        double value = 0;
        for (int j = 0; j <= i; ++j)
          value += weights[j] / sum * v[(h * S + j) * D + d];
        worst = fmax(worst, fabs(value - o[(h * S + i) * D + d]));
      }
    }
  return worst;
}

int main(void) {
  static _Alignas(64) char scratch[THREADS * packed_f32_d32_scratch_bytes];
  for (int i = 0; i < H * S * D; ++i) {
    q[i] = (float)sin(i);
    k[i] = (float)cos(3 * i);
    v[i] = (float)sin(7 * i);
  }
  for (int i = 0; i < S; ++i)
    doc[i] = i < 60 ? 0 : 1;
  for (int h = 0; h < H; ++h)
    slopes[h] = 1.0f / (float)(1 << h);

  packed_f32_d32_args args = {0};
  args.B = 1;
  args.Hq = args.Hkv = H;
  args.Q = args.KV = S;
  args.scale.value = (float)(1 / sqrt(D));
  args.q = (attnc_input){q, H * S * D, S * D, D};
  args.k = (attnc_input){k, H * S * D, S * D, D};
  args.v = (attnc_input){v, H * S * D, S * D, D};
  args.o = (attnc_output){o, H * S * D, S * D, D};
  args.captures.slopes.data = slopes;
  args.captures.slopes.sizes[0] = H;
  args.captures.slopes.strides[0] = 1;
  args.captures.doc.data = doc;
  args.captures.doc.sizes[0] = 1;
  args.captures.doc.sizes[1] = S;
  args.captures.doc.strides[0] = S;
  args.captures.doc.strides[1] = 1;

  attnc_executor executor = {0};
  executor.parallel_for = runOnThreads;
  executor.threads = THREADS;
  executor.scratch = scratch;
  for (int round = 0; round < 2; ++round) {
    int status = packed_f32_d32(&args, round == 0 ? NULL : &executor);
    if (status != ATTNC_LAUNCHED) {
      fprintf(stderr, "the launch is wrong: %d\n", status);
      return 1;
    }
    if (compare() > 1e-5) {
      printf("wrong: %g\n", compare());
      return 1;
    }
    for (int i = 0; i < H * S * D; ++i)
      o[i] = 0;
  }
  printf("right\n");
  return 0;
}
