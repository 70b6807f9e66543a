/*===- packed.c - A kernel compiled ahead of time, in a C program ---------===//
 *
 * Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===------------------------------------------------------------------------===//
 *
 *   attnc ../packed.attn --dtype f32 --head-dim 32 --lse -o packed.so
 *   cc packed.c -o packed -lattnc_runtime -lm
 *   ./packed packed.so
 *
 * With PTX instead (-o packed.ptx), and the name of a device after it, the same on the emulator.
 *
 * Two packed documents, captured tensors, grouped heads; compared with attention as the textbook
 * has it.
 *
 *===------------------------------------------------------------------------===*/

#include <attnc/attnc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { B = 1, Hq = 4, Hkv = 2, S = 150, D = 32 };

static float q[B * Hq * S * D], k[B * Hkv * S * D], v[B * Hkv * S * D], o[B * Hq * S * D];
static float lse[B * Hq * S], slopes[Hq];
static int32_t doc[B * S];

/* A tensor without gaps: without strides it is compact. */
static DLTensor makeTensor(void *data, int code, int rank, int64_t *shape) {
  DLTensor tensor = {0};
  tensor.data = data;
  tensor.device.device_type = kDLCPU;
  tensor.ndim = rank;
  tensor.dtype.code = (uint8_t)code;
  tensor.dtype.bits = 32;
  tensor.dtype.lanes = 1;
  tensor.shape = shape;
  return tensor;
}

static void check(attnc_status_t status, const char *message) {
  if (status == ATTNC_OK)
    return;
  fprintf(stderr, "%s: %s\n", attnc_status_name(status), message);
  exit(1);
}

/* The largest difference of a row of o from what it should be. */
static double compareRow(int h, int i) {
  double weights[S], sum = 0, worst = 0;
  const float *query = q + (h * S + i) * D;
  for (int j = 0; j <= i; ++j) {
    const float *key = k + (h / (Hq / Hkv) * S + j) * D;
    double score = 0;
    for (int d = 0; d < D; ++d)
      score += (double)query[d] * key[d];
    weights[j] = doc[i] == doc[j] ? exp(score / sqrt(D) + slopes[h] * (j - i)) : 0;
    sum += weights[j];
  }
  for (int d = 0; d < D; ++d) {
    double value = 0;
    for (int j = 0; j <= i; ++j)
      value += weights[j] / sum * v[(h / (Hq / Hkv) * S + j) * D + d];
    worst = fmax(worst, fabs(value - o[(h * S + i) * D + d]));
  }
  return fmax(worst, fabs(log(sum) - lse[h * S + i]));
}

int main(int count, char **arguments) {
  if (count != 2 && count != 3) {
    fprintf(stderr, "usage: packed KERNEL [DEVICE]\n");
    return 2;
  }
  for (int i = 0; i < B * Hq * S * D; ++i)
    q[i] = sinf((float)i);
  for (int i = 0; i < B * Hkv * S * D; ++i) {
    k[i] = cosf((float)i);
    v[i] = sinf(0.5f * (float)i);
  }
  for (int h = 0; h < Hq; ++h)
    slopes[h] = 0.1f * (float)(h + 1);
  for (int i = 0; i < S; ++i)
    doc[i] = i >= 70;

  attnc_device_t *device = NULL;
  attnc_kernel_t *kernel = NULL;
  attnc_launch_t *launch = NULL;
  check(attnc_device_open(count == 3 ? arguments[2] : "host", NULL, &device),
        attnc_device_message(NULL));
  attnc_status_t status = attnc_kernel_load_file(device, arguments[1], &kernel);
  check(status, attnc_device_message(device));
  status = attnc_launch_create(kernel, &launch);
  check(status, attnc_kernel_message(kernel));

  int64_t queryShape[] = {B, Hq, S, D}, keyShape[] = {B, Hkv, S, D}, lseShape[] = {B, Hq, S};
  int64_t slopeShape[] = {Hq}, docShape[] = {B, S};
  struct {
    const char *name;
    DLTensor tensor;
  } tensors[] = {
      {"q", makeTensor(q, kDLFloat, 4, queryShape)},
      {"k", makeTensor(k, kDLFloat, 4, keyShape)},
      {"v", makeTensor(v, kDLFloat, 4, keyShape)},
      {"o", makeTensor(o, kDLFloat, 4, queryShape)},
      {"lse", makeTensor(lse, kDLFloat, 3, lseShape)},
      {"slopes", makeTensor(slopes, kDLFloat, 1, slopeShape)},
      {"doc", makeTensor(doc, kDLInt, 2, docShape)},
  };
  for (size_t i = 0; i < sizeof tensors / sizeof *tensors; ++i) {
    status = attnc_launch_set_tensor(launch, tensors[i].name, &tensors[i].tensor);
    check(status, attnc_launch_message(launch));
  }
  status = attnc_launch_prepare(launch);
  check(status, attnc_launch_message(launch));
  status = attnc_launch_allocate_workspace(launch);
  check(status, attnc_launch_message(launch));
  status = attnc_launch_run(launch, NULL);
  check(status, attnc_launch_message(launch));

  double worst = 0;
  for (int h = 0; h < Hq; ++h)
    for (int i = 0; i < S; ++i)
      worst = fmax(worst, compareRow(h, i));
  attnc_launch_release(launch);
  attnc_kernel_release(kernel);
  attnc_device_release(device);
  printf("%s\n", worst < 1e-5 ? "right" : "wrong");
  return worst < 1e-5 ? 0 : 1;
}
