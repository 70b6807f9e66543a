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
  assert(sizeof(attnc_gpu_workspace_t) == 24);
  assert(strcmp(kernel->summarize_entry, "packed_bf16_d100_summarize") == 0);
  assert(kernel->summarize_threads == 256 && kernel->summarize_shared_bytes == 2048 && kernel->summary_block == 32);
  assert(kernel->summary_key_values == 2 && kernel->summary_query_values == 2);
  assert(kernel->summaries_per_batch && !kernel->summaries_per_head);

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

  /* 8 heads of 9 queries are 72 rows of each of 2 heads of keys; 112 columns and two statistics. Of each batch, summaries of 32 blocks of
     keys, of their group, and of a block of queries. */
  const int64_t rows = 3 * 16 * 9 * 5 * 114 * 4, summaries = 3 * (32 + 1 + 1) * 2 * 8;
  attnc_gpu_launch_t launch = plan(3, 16, 9, 2, 1000, 15);
  assert(launch.splits == 5 && launch.blocks == 3 * 2 * 2 * 5);
  assert(launch.combine_blocks == 3 * 16 * 9 && launch.summarize_blocks == 3 * 2);
  assert(launch.summaries_offset == rows && launch.workspace_bytes == rows + summaries);
  attnc_gpu_workspace_t workspace = attnc_gpu_workspace(&launch, 4096);
  assert(workspace.split_rows == 4096 && workspace.splits == 5 && workspace.summaries == (uint64_t)(4096 + rows));
  launch = plan(3, 16, 9, 2, 1000, 3);
  assert(launch.splits == 1 && launch.blocks == 3 * 2 * 2);
  assert(launch.combine_blocks == 0 && launch.summaries_offset == 0 && launch.workspace_bytes == summaries);
  launch = plan(1, 1, 1, 1, 9 * 128, 100);
  assert(launch.splits == 9 && launch.summaries_offset % 16 == 0 && launch.summaries_offset >= 9 * 114 * 4);
  launch = plan(1, 1, 200, 1, 16385, 1);
  assert(launch.splits == 0 && launch.summarize_blocks == 3 + 1 && launch.workspace_bytes == (513 + 3 + 7) * 2 * 8);
  launch = plan(3, 16, 9, 2, 0, 3);
  assert(launch.summarize_blocks == 0 && launch.workspace_bytes == 0 && launch.blocks > 0);
  launch = plan(2, 3, 129, 3, 1000, 1);
  assert(launch.splits == 0 && launch.blocks == 12);
  assert(plan(0, 3, 128, 1, 5, 100).blocks == 0 && plan(2, 0, 128, 1, 5, 100).blocks == 0);
  assert(plan(65536, 65536, 1, 65536, 5, 100).blocks == -1);
  launch = plan(1000, 1, 64, 1, (int64_t)1 << 50, 100);
  assert(launch.blocks == -1 && launch.summarize_blocks == 0 && launch.workspace_bytes == 0 && launch.splits == 0);
  assert(plan((int64_t)1 << 40, (int64_t)1 << 40, 1 << 20, 1, 5, 100).blocks == -1);
  return 0;
}
