// Products of f32 are put on tensor cores where that is asked for; those of other types stay as they are.
// RUN: attn-opt %s --convert-attn-to-tile="shared-memory=166912 tf32=rounded short-grids=true" | FileCheck %s --check-prefixes=BOTH,ROUNDED
// RUN: attn-opt %s --convert-attn-to-tile="shared-memory=101376 tf32=rounded short-grids=true" | FileCheck %s --check-prefixes=BOTH,SMALL
// RUN: attn-opt %s --convert-attn-to-tile="shared-memory=166912 tf32=split short-grids=true" | FileCheck %s --check-prefixes=BOTH,SPLIT
// RUN: attn-opt %s --convert-attn-to-tile="shared-memory=101376 tf32=split short-grids=true" | FileCheck %s --check-prefix=SMALL-SPLIT
// RUN: attn-opt %s --convert-attn-to-tile="shared-memory=101376 tf32=split tile=32x32" | FileCheck %s --check-prefix=TILE
// RUN: not attn-opt %s --convert-attn-to-tile="shared-memory=166912 tf32=twice" 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: twice

// Tiles of narrow heads are as large as two blocks of threads have room for; split operands take more registers.
// ROUNDED: tile.kernel @f32_d64 warp_schedule(<query_block = 128, warp_rows = 32, key_block = 64, masked_key_block = 64, tensor_cores = true, tf32 = rounded>)
// ROUNDED: tile.kernel @f32_d64_short warp_schedule(<query_block = 64, warp_rows = 16, key_block = 32, masked_key_block = 32, tensor_cores = true, short_grid = true, tf32 = rounded>)
// SPLIT: tile.kernel @f32_d64 warp_schedule(<query_block = 128, warp_rows = 32, key_block = 32, masked_key_block = 32, tensor_cores = true, tf32 = split>)
// SPLIT: tile.kernel @f32_d64_short warp_schedule(<query_block = 64, warp_rows = 16, key_block = 32, masked_key_block = 32, tensor_cores = true, short_grid = true, tf32 = split>)
// TILE: tile.kernel @f32_d64 warp_schedule(<query_block = 32, warp_rows = 32, key_block = 32, masked_key_block = 32, tensor_cores = true, tf32 = split>)
attn.kernel @f32_d64 dtype(f32) head_dim(64) value_dim(64) {
}

// With 32 rows a warp there is to be room for what saves registers.
// ROUNDED: tile.kernel @f32_d128 warp_schedule(<query_block = 128, warp_rows = 32, key_block = 32, masked_key_block = 32, tensor_cores = true, tf32 = rounded>)
// SMALL: tile.kernel @f32_d128 warp_schedule(<query_block = 128, warp_rows = 16, key_block = 32, masked_key_block = 32, tensor_cores = true, tf32 = rounded>)
// SPLIT: tile.kernel @f32_d128 warp_schedule(<query_block = 128, warp_rows = 32, key_block = 32, masked_key_block = 32, tensor_cores = true, tf32 = split>)
// SMALL-SPLIT: tile.kernel @f32_d128 warp_schedule(<query_block = 64, warp_rows = 16, key_block = 32, masked_key_block = 32, tensor_cores = true, tf32 = split>)
attn.kernel @f32_d128 dtype(f32) head_dim(128) value_dim(128) {
}

// Wide heads.
// ROUNDED: tile.kernel @f32_d256 warp_schedule(<query_block = 64, warp_rows = 16, key_block = 32, masked_key_block = 16, tensor_cores = true, tf32 = rounded>)
// SMALL: tile.kernel @f32_d256 warp_schedule(<query_block = 64, warp_rows = 16, key_block = 16, masked_key_block = 16, tensor_cores = true, tf32 = rounded>)
// SPLIT: tile.kernel @f32_d256 warp_schedule(<query_block = 64, warp_rows = 16, key_block = 32, masked_key_block = 16, tensor_cores = true, tf32 = split>)
// SMALL-SPLIT: tile.kernel @f32_d256 warp_schedule(<query_block = 32, warp_rows = 16, key_block = 32, masked_key_block = 16, tensor_cores = true, tf32 = split>)
attn.kernel @f32_d256 dtype(f32) head_dim(256) value_dim(256) {
}

// BOTH: tile.kernel @bf16_d64 warp_schedule(<query_block = 128, warp_rows = 32, key_block = 128, masked_key_block = 128, tensor_cores = true>)
attn.kernel @bf16_d64 dtype(bf16) head_dim(64) value_dim(64) {
}
