// With shared memory, the schedule is one of a GPU. Sizes follow the shared memory, the element type, the head dims and the ops of
// the bodies.
// RUN: attn-opt %s --convert-attn-to-tile=shared-memory=166912 | FileCheck %s --check-prefixes=CHECK,LARGE
// RUN: attn-opt %s --convert-attn-to-tile=shared-memory=101376 | FileCheck %s --check-prefixes=CHECK,SMALL
// RUN: not attn-opt %s --convert-attn-to-tile=shared-memory=4096 2>&1 | FileCheck %s --check-prefix=NONE

// NONE: error: no tile of this kernel fits into 4096 bytes

// Narrow heads have the largest tiles.
// CHECK: tile.kernel @bf16_d64 warp_schedule(<query_block = 128, warp_rows = 32, key_block = 128, masked_key_block = 128, tensor_cores = true>)
attn.kernel @bf16_d64 dtype(bf16) head_dim(64) value_dim(64) {
}

// Scores and output of a thread must fit into registers,
// CHECK: tile.kernel @bf16_d128 warp_schedule(<query_block = 128, warp_rows = 32, key_block = 64, masked_key_block = 64, tensor_cores = true>)
attn.kernel @bf16_d128 dtype(bf16) head_dim(128) value_dim(128) {
}

// and tiles into shared memory. Wide heads have large loops, so that the masked one takes half as many keys.
// LARGE: tile.kernel @bf16_d256 warp_schedule(<query_block = 128, warp_rows = 16, key_block = 64, masked_key_block = 32, tensor_cores = true>)
// SMALL: tile.kernel @bf16_d256 warp_schedule(<query_block = 64, warp_rows = 16, key_block = 64, masked_key_block = 32, tensor_cores = true>)
attn.kernel @bf16_d256 dtype(bf16) head_dim(256) value_dim(256) {
}

// Those of f32 take twice the bytes.
// LARGE: tile.kernel @f32_d256 warp_schedule(<query_block = 64, warp_rows = 16, key_block = 32, masked_key_block = 16, tensor_cores = false>)
// SMALL: tile.kernel @f32_d256 warp_schedule(<query_block = 32, warp_rows = 16, key_block = 16, masked_key_block = 16, tensor_cores = false>)
attn.kernel @f32_d256 dtype(f32) head_dim(256) value_dim(256) {
}

// Ops for each pair make tiles smaller; ops for each query or key do not.
// CHECK: tile.kernel @pair_ops warp_schedule(<query_block = 128, warp_rows = 32, key_block = 64,
attn.kernel @pair_ops dtype(bf16) head_dim(64) value_dim(64) {
  attn.score(%s, %b, %h, %q, %kv) {
    %0 = arith.mulf %s, %s : f32
    %1 = arith.mulf %0, %s : f32
    %2 = arith.mulf %1, %s : f32
    %3 = arith.mulf %2, %s : f32
    %4 = arith.mulf %3, %s : f32
    attn.yield %4 : f32
  }
}
// CHECK: tile.kernel @query_ops warp_schedule(<query_block = 128, warp_rows = 32, key_block = 128,
attn.kernel @query_ops dtype(bf16) head_dim(64) value_dim(64) {
  attn.score(%s, %b, %h, %q, %kv) {
    %0 = arith.addi %q, %h : i64
    %1 = arith.muli %0, %q : i64
    %2 = arith.muli %1, %q : i64
    %3 = arith.sitofp %2 : i64 to f32
    %4 = arith.addf %s, %3 : f32
    attn.yield %4 : f32
  }
}
