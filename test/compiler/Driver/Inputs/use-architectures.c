/* Uses a header of sm_86, sm_80 and sm_90a, and one of kernels with small tiles; prints the PTX for sm_86. */
#include "k.h"
#include "small.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

static const char *selectArch(int major, int minor, int64_t kilobytes) {
  const packed_code_t *code = packed_select(major, minor, kilobytes * 1024);
  return code ? code->arch : "none";
}

int main(void) {
  assert(strcmp(selectArch(7, 5, 64), "none") == 0);
  assert(strcmp(selectArch(8, 0, 163), "sm_80") == 0);
  assert(strcmp(selectArch(8, 6, 99), "sm_86") == 0);
  assert(strcmp(selectArch(8, 9, 99), "sm_86") == 0);
  assert(strcmp(selectArch(9, 0, 227), "sm_90a") == 0);
  assert(strcmp(selectArch(10, 0, 227), "sm_86") == 0);
  assert(strcmp(selectArch(8, 6, 48), "none") == 0);

  const packed_code_t *small = packed_select(8, 6, 99 * 1024), *large = packed_select(8, 0, 163 * 1024);
  assert(strcmp(small->packed_bf16_d256.entry, "packed_bf16_d256") == 0);
  assert(small->packed_bf16_d256.shared_bytes <= 99 * 1024);
  assert(large->packed_bf16_d256.shared_bytes > 99 * 1024);
  assert(strstr(small->ptx, ".target sm_86") && strstr(large->ptx, ".target sm_80"));

  /* What the entries for short grids have counts too. */
  const small_code_t *code = small_select(8, 0, 163 * 1024);
  const attnc_gpu_kernel_t *kernel = &code->small_bf16_d64;
  assert(kernel->short_shared_bytes > kernel->shared_bytes);
  assert(small_select(8, 0, kernel->short_shared_bytes) == code);
  assert(!small_select(8, 0, kernel->short_shared_bytes - 1));

  packed_bf16_d256_arguments_t arguments;
  memset(&arguments, 0, sizeof arguments);
  arguments.B = arguments.Hq = arguments.Hkv = 1;
  arguments.KV = 1000;
  arguments.Q = small->packed_bf16_d256.query_block + 1;
  assert(packed_bf16_d256_plan(&small->packed_bf16_d256, &arguments, 1).blocks == 2);
  assert(packed_bf16_d256_plan(&large->packed_bf16_d256, &arguments, 1).blocks == 1);
  assert(packed_bf16_d256_plan(&small->packed_bf16_d256, &arguments, 1).splits == 0);
  arguments.Q = 1;
  assert(packed_bf16_d256_plan(&small->packed_bf16_d256, &arguments, 132).splits == 7);
  assert(packed_bf16_d256_plan(&small->packed_bf16_d256, &arguments, 132).combine_blocks == 1);
  fputs(small->ptx, stdout);
  return 0;
}
