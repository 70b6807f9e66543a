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
    %5 = arith.mulf %4, %s : f32
    %6 = arith.mulf %5, %s : f32
    %7 = arith.mulf %6, %s : f32
    attn.yield %7 : f32
  }
}
// Divisions count as what becomes of them, but for those by constants.
// CHECK: tile.kernel @divisions warp_schedule(<query_block = 128, warp_rows = 32, key_block = 64,
attn.kernel @divisions dtype(bf16) head_dim(64) value_dim(64) {
  attn.scalar @cap : f32
  attn.score(%s, %b, %h, %q, %kv) {
    %cap = attn.get @cap : f32
    %0 = arith.divf %s, %cap : f32
    %1 = arith.divf %0, %cap : f32
    attn.yield %1 : f32
  }
}
// CHECK: tile.kernel @divisions_by_constants warp_schedule(<query_block = 128, warp_rows = 32, key_block = 128,
attn.kernel @divisions_by_constants dtype(bf16) head_dim(64) value_dim(64) {
  attn.score(%s, %b, %h, %q, %kv) {
    %c3 = arith.constant 3.0 : f32
    %0 = arith.divf %s, %c3 : f32
    %1 = arith.divf %0, %c3 : f32
    attn.yield %1 : f32
  }
}
// CHECK: tile.kernel @int_division warp_schedule(<query_block = 128, warp_rows = 32, key_block = 64,
attn.kernel @int_division dtype(bf16) head_dim(64) value_dim(64) {
  attn.mask(%b, %h, %q, %kv) {
    %c0 = arith.constant 0 : i64
    %c3 = arith.constant 3 : i64
    %0 = arith.subi %q, %kv : i64
    %1 = attn.floordiv %0, %c3 : i64
    %2 = attn.floormod %1, %c3 : i64
    %3 = arith.cmpi eq, %2, %c0 : i64
    attn.yield %3 : i1
  }
}
// Nor do blocks have more than 64 keys where tables are read pair by pair.
// CHECK: tile.kernel @pair_reads warp_schedule(<query_block = 128, warp_rows = 32, key_block = 64,
attn.kernel @pair_reads dtype(bf16) head_dim(64) value_dim(64) {
  attn.capture @bias : f32["Q", "KV"]
  attn.score(%s, %b, %h, %q, %kv) {
    %bias = attn.load @bias[clamp %q, clamp %kv : i64, i64] : f32
    %r = arith.addf %s, %bias : f32
    attn.yield %r : f32
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

// Beyond what can be unrolled with warps of 16 rows, bodies are in loops, which take their scores from shared memory. Masked blocks have half
// the keys.
// LARGE: tile.kernel @rolled_pairs warp_schedule(<query_block = 128, warp_rows = 16, key_block = 64, masked_key_block = 32, tensor_cores = true, rolled = true>)
// SMALL: tile.kernel @rolled_pairs warp_schedule(<query_block = 128, warp_rows = 16, key_block = 64, masked_key_block = 32, tensor_cores = true, rolled = true>)
attn.kernel @rolled_pairs dtype(bf16) head_dim(128) value_dim(128) {
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

// So are those with many ops for each key, which the rows of a thread share.
// CHECK: tile.kernel @rolled_keys warp_schedule(<query_block = 128, warp_rows = 16, key_block = 64, masked_key_block = 32, tensor_cores = true, rolled = true>)
attn.kernel @rolled_keys dtype(bf16) head_dim(64) value_dim(64) {
  attn.score(%s, %b, %h, %q, %kv) {
    %0 = arith.muli %kv, %kv : i64
    %1 = arith.addi %0, %kv : i64
    %2 = arith.addi %1, %kv : i64
    %3 = arith.addi %2, %kv : i64
    %4 = arith.addi %3, %kv : i64
    %5 = arith.addi %4, %kv : i64
    %6 = arith.addi %5, %kv : i64
    %7 = arith.addi %6, %kv : i64
    %8 = arith.addi %7, %kv : i64
    %9 = arith.addi %8, %kv : i64
    %10 = arith.addi %9, %kv : i64
    %11 = arith.addi %10, %kv : i64
    %12 = arith.addi %11, %kv : i64
    %13 = arith.addi %12, %kv : i64
    %14 = arith.addi %13, %kv : i64
    %15 = arith.addi %14, %kv : i64
    %16 = arith.addi %15, %kv : i64
    %17 = arith.addi %16, %kv : i64
    %18 = arith.addi %17, %kv : i64
    %19 = arith.addi %18, %kv : i64
    %20 = arith.addi %19, %kv : i64
    %21 = arith.addi %20, %kv : i64
    %22 = arith.addi %21, %kv : i64
    %23 = arith.addi %22, %kv : i64
    %24 = arith.addi %23, %kv : i64
    %25 = arith.addi %24, %kv : i64
    %26 = arith.addi %25, %kv : i64
    %27 = arith.addi %26, %kv : i64
    %28 = arith.addi %27, %kv : i64
    %29 = arith.addi %28, %kv : i64
    %30 = arith.addi %29, %kv : i64
    %31 = arith.addi %30, %kv : i64
    %32 = arith.addi %31, %kv : i64
    %f = arith.sitofp %32 : i64 to f32
    %r = arith.addf %s, %f : f32
    attn.yield %r : f32
  }
}

// Those that need many values of each query have small tiles, which leave registers for them.
// CHECK: tile.kernel @query_values warp_schedule(<query_block = 64, warp_rows = 16, key_block = 32, masked_key_block = 32, tensor_cores = true>)
attn.kernel @query_values dtype(bf16) head_dim(64) value_dim(64) {
  attn.score(%s, %b, %h, %q, %kv) {
    %a0 = arith.addi %q, %h : i64
    %a1 = arith.muli %a0, %q : i64
    %a2 = arith.muli %a1, %q : i64
    %a3 = arith.muli %a2, %q : i64
    %a4 = arith.muli %a3, %q : i64
    %a5 = arith.muli %a4, %q : i64
    %a6 = arith.muli %a5, %q : i64
    %a7 = arith.muli %a6, %q : i64
    %a8 = arith.muli %a7, %q : i64
    %a9 = arith.muli %a8, %q : i64
    %a10 = arith.muli %a9, %q : i64
    %a11 = arith.muli %a10, %q : i64
    %a12 = arith.muli %a11, %q : i64
    %a13 = arith.muli %a12, %q : i64
    %a14 = arith.muli %a13, %q : i64
    %a15 = arith.muli %a14, %q : i64
    %a16 = arith.muli %a15, %q : i64
    %p0 = arith.addi %a0, %kv : i64
    %p1 = arith.addi %p0, %a1 : i64
    %p2 = arith.addi %p1, %a2 : i64
    %p3 = arith.addi %p2, %a3 : i64
    %p4 = arith.addi %p3, %a4 : i64
    %p5 = arith.addi %p4, %a5 : i64
    %p6 = arith.addi %p5, %a6 : i64
    %p7 = arith.addi %p6, %a7 : i64
    %p8 = arith.addi %p7, %a8 : i64
    %p9 = arith.addi %p8, %a9 : i64
    %p10 = arith.addi %p9, %a10 : i64
    %p11 = arith.addi %p10, %a11 : i64
    %p12 = arith.addi %p11, %a12 : i64
    %p13 = arith.addi %p12, %a13 : i64
    %p14 = arith.addi %p13, %a14 : i64
    %p15 = arith.addi %p14, %a15 : i64
    %p16 = arith.addi %p15, %a16 : i64
    %f = arith.sitofp %p16 : i64 to f32
    %r = arith.addf %s, %f : f32
    attn.yield %r : f32
  }
}
