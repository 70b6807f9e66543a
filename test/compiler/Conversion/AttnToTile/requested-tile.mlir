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
