/*===- probe.c - Kernels that show what they are launched with ------------===//
 *
 * Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===------------------------------------------------------------------------===//
 *
 * A host image as anyone could write it: no library, no relocation. Its kernels have the metadata
 * that attnc writes, and give each row of o a number made of all arguments.
 *
 *===------------------------------------------------------------------------===*/

#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))
#define TENSORS                                                                                    \
  "\"tensors\":[{\"name\":\"q\",\"type\":\"f32\",\"layout\":\"strided\"}],"                        \
  "\"cpu\":\"x86-64\",\"features\":[],\"query_block\":8,\"scratch_bytes\":100,"                    \
  "\"checked\":false,\"version\":1,\"dtype\":\"f32\","
#define CAPTURES                                                                                   \
  "\"extents\":[\"N\"],\"captures\":["                                                             \
  "{\"name\":\"doc\",\"type\":\"i32\",\"shape\":[\"B\",\"KV\"]},"                                  \
  "{\"name\":\"pos\",\"type\":\"i32\",\"shape\":[]},"                                              \
  "{\"name\":\"on\",\"type\":\"bool\",\"shape\":[\"N\",\"N + 1\"]}],"                              \
  "\"requirements\":[{\"capture\":\"on\",\"dim\":1,\"index\":2}],"                                 \
  "\"scalars\":[{\"name\":\"cap\",\"type\":\"f32\"},{\"name\":\"shift\",\"type\":\"i8\"},"         \
  "{\"name\":\"flag\",\"type\":\"bool\"}],"

EXPORT const char probe_f32_d4_metadata[] =
    "{" TENSORS CAPTURES "\"name\":\"probe_f32_d4\",\"head_dim\":4,\"value_dim\":2,"
    "\"scale\":null,\"lse\":true}";
EXPORT const char probe_f32_d8_metadata[] =
    "{" TENSORS CAPTURES "\"name\":\"probe_f32_d8\",\"head_dim\":8,\"value_dim\":8,"
    "\"scale\":0.5,\"lse\":false}";

/* The slots of docs/abi.md. */
enum { Hq = 1, Hkv = 2, KV = 4, SCALE = 5, Q = 6, K = 10, O = 18, LSE = 22, N = 26 };
enum { DOC = 27, POS = 32, ON = 33, CAP = 38, SHIFT, FLAG };

static float getFloat(int64_t slot) {
  union {
    int32_t bits;
    float value;
  } both;
  both.bits = (int32_t)slot;
  return both.value;
}

static const float *getRow(const int64_t *s, int tensor, int64_t b, int64_t h, int64_t row) {
  return (const float *)s[tensor] + b * s[tensor + 1] + h * s[tensor + 2] + row * s[tensor + 3];
}

/* o = cap * q[0] + k[0] of the first key + doc of the last + pos + shift + N + flag * on[0, 0]. */
static void compute(const int64_t *s, int64_t b, int64_t h, int64_t begin, int64_t end,
                    char *scratch, int columns) {
  for (int i = 0; i < 100; ++i)
    scratch[i] = 1;
  for (int64_t q = begin; q < end; ++q) {
    float value = getFloat(s[CAP]) * *getRow(s, Q, b, h, q) + getFloat(s[SCALE]);
    if (s[KV] > 0) {
      value += *getRow(s, K, b, h / (s[Hq] / s[Hkv]), 0);
      value += (float)((const int32_t *)s[DOC])[b * s[DOC + 3] + (s[KV] - 1) * s[DOC + 4]];
    }
    value += (float)*(const int32_t *)s[POS] + (float)s[SHIFT] + (float)s[N];
    if (s[FLAG] && *(const char *)s[ON])
      value += 1000;
    for (int c = 0; c < columns; ++c)
      ((float *)getRow(s, O, b, h, q))[c] = value;
    if (s[LSE])
      *(float *)getRow(s, LSE, b, h, q) = -value;
  }
}

EXPORT void probe_f32_d4(const int64_t *s, int64_t b, int64_t h, int64_t begin, int64_t end,
                         void *scratch) {
  compute(s, b, h, begin, end, scratch, 2);
}

EXPORT void probe_f32_d8(const int64_t *s, int64_t b, int64_t h, int64_t begin, int64_t end,
                         void *scratch) {
  compute(s, b, h, begin, end, scratch, 8);
}
