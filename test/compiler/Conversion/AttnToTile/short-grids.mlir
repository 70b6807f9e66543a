// With short-grids, each kernel for GPUs has a second one: 16 rows a warp, and one size of key blocks, which follows the head dims and
// the ops of the bodies.
// RUN: attn-opt %s --convert-attn-to-tile="shared-memory=166912 short-grids=true" | FileCheck %s

// CHECK-LABEL: tile.kernel @bf16_d128 warp_schedule(<query_block = 128,
// CHECK:         attn.kernel @bf16_d128 dtype(bf16)
// CHECK-LABEL: tile.kernel @bf16_d128_short warp_schedule(<query_block = 64, warp_rows = 16, key_block = 32, masked_key_block = 32, tensor_cores = true, short_grid = true>)
// CHECK:         attn.kernel @bf16_d128_short dtype(bf16)
attn.kernel @bf16_d128 dtype(bf16) head_dim(128) value_dim(128) {
}

// CHECK-LABEL: tile.kernel @f32_d256_short warp_schedule(<query_block = 64, warp_rows = 16, key_block = 16, masked_key_block = 16, tensor_cores = false, short_grid = true>)
attn.kernel @f32_d256 dtype(f32) head_dim(256) value_dim(256) {
}
