/* Plans launches of a generated header; the values are those of GpuKernelTest. */
#include "packed.h"
#include <assert.h>
#include <string.h>

static attnc_gpu_launch_t plan(int64_t B, int64_t Hq, int64_t Q, int64_t Hkv, int64_t KV, int64_t multiprocessors) {
  packed_bf16_d100_arguments_t arguments;
  memset(&arguments, 0, sizeof arguments);
  arguments.B = B;
  arguments.Hq = Hq;
  arguments.Hkv = Hkv;
  arguments.Q = Q;
  arguments.KV = KV;
  return packed_bf16_d100_plan(&arguments, multiprocessors);
}

static int64_t splits(int64_t B, int64_t Hq, int64_t Q, int64_t Hkv, int64_t KV) {
  return plan(B, Hq, Q, Hkv, KV, 132).splits;
}

int main(void) {
  const attnc_gpu_kernel_t *kernel = &packed_bf16_d100_kernel;
  assert(strcmp(kernel->short_entry, "packed_bf16_d100_short") == 0);
  assert(strcmp(kernel->combine_entry, "packed_bf16_d100_combine") == 0);
  assert(kernel->short_rows == 64 && kernel->packs_heads && kernel->query_block == 128);
  assert(sizeof(attnc_gpu_split_t) == 16);

  assert(splits(1, 64, 1, 8, 1 << 17) == 66);
  assert(splits(16, 64, 1, 8, 1 << 17) == 4);
  assert(splits(100, 64, 1, 8, 1 << 17) == 1);
  assert(plan(1, 64, 1, 8, 1 << 17, 1000).splits == 128);
  assert(splits(1, 64, 1, 8, 1000) == 7);
  assert(splits(1, 64, 1, 8, 100) == 1);
  assert(splits(100, 64, 63, 8, 1000) == 1);
  assert(splits(100, 64, 64, 8, 1000) == 0);
  assert(splits(1, 66, 64, 66, 1000) == 7);
  assert(splits(1, 67, 64, 67, 1000) == 0);
  assert(splits(1, 64, 1, 8, 0) == 0);

  /* 8 heads of 9 queries are 72 rows of each of 2 heads of keys; 112 columns and two statistics. */
  attnc_gpu_launch_t launch = plan(3, 16, 9, 2, 1000, 15);
  assert(launch.splits == 5 && launch.blocks == 3 * 2 * 2 * 5);
  assert(launch.combine_blocks == 3 * 16 * 9 && launch.workspace_bytes == 3 * 16 * 9 * 5 * 114 * 4);
  launch = plan(3, 16, 9, 2, 1000, 3);
  assert(launch.splits == 1 && launch.blocks == 3 * 2 * 2);
  assert(launch.combine_blocks == 0 && launch.workspace_bytes == 0);
  launch = plan(2, 3, 129, 3, 1000, 1);
  assert(launch.splits == 0 && launch.blocks == 12);
  assert(plan(0, 3, 128, 1, 5, 100).blocks == 0 && plan(2, 0, 128, 1, 5, 100).blocks == 0);
  assert(plan(65536, 65536, 1, 65536, 5, 100).blocks == -1);
  assert(plan((int64_t)1 << 40, (int64_t)1 << 40, 1 << 20, 1, 5, 100).blocks == -1);
  return 0;
}
