// A tile that is asked for overrides the schedule: with 32 rows a warp where a thread has registers for that, else with 16. Blocks that
// the mask may cut have half the keys for wide heads.
// RUN: attn-opt %s --convert-attn-to-tile="shared-memory=166912 tile=64x128" | FileCheck %s
// CHECK: tile.kernel @narrow warp_schedule(<query_block = 64, warp_rows = 32, key_block = 128, masked_key_block = 128, tensor_cores = true>)
attn.kernel @narrow dtype(bf16) head_dim(64) value_dim(64) {
}

// CHECK: tile.kernel @wide warp_schedule(<query_block = 64, warp_rows = 16, key_block = 128, masked_key_block = 128, tensor_cores = true>)
attn.kernel @wide dtype(bf16) head_dim(128) value_dim(128) {
}

// CHECK: tile.kernel @full_precision warp_schedule(<query_block = 64, warp_rows = 16, key_block = 128, masked_key_block = 128, tensor_cores = false>)
attn.kernel @full_precision dtype(f32) head_dim(16) value_dim(128) {
}

// CHECK: tile.kernel @uneven warp_schedule(<query_block = 64, warp_rows = 16, key_block = 128, masked_key_block = 128, tensor_cores = true>)
attn.kernel @uneven dtype(bf16) head_dim(16) value_dim(240) {
}

// Bodies beyond 4,096 ops in such a tile are in loops.
// CHECK: tile.kernel @large_body warp_schedule(<query_block = 64, warp_rows = 32, key_block = 128, masked_key_block = 128, tensor_cores = true, rolled = true>)
attn.kernel @large_body dtype(bf16) head_dim(16) value_dim(16) {
  attn.score(%s, %b, %h, %q, %kv) {
    %0 = arith.mulf %s, %s : f32
    %1 = arith.mulf %0, %s : f32
    %2 = arith.mulf %1, %s : f32
    %3 = arith.mulf %2, %s : f32
    %4 = arith.mulf %3, %s : f32
    %5 = arith.mulf %4, %s : f32
    %6 = arith.mulf %5, %s : f32
    %7 = arith.mulf %6, %s : f32
    %8 = arith.mulf %7, %s : f32
    %9 = arith.mulf %8, %s : f32
    %10 = arith.mulf %9, %s : f32
    %11 = arith.mulf %10, %s : f32
    %12 = arith.mulf %11, %s : f32
    %13 = arith.mulf %12, %s : f32
    %14 = arith.mulf %13, %s : f32
    %15 = arith.mulf %14, %s : f32
    %16 = arith.mulf %15, %s : f32
    attn.yield %16 : f32
  }
}
