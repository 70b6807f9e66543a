// RUN: attn-opt %s -split-input-file --convert-attn-to-tile --convert-tile-to-nvvm --verify-diagnostics

// A kernel that was scheduled for a CPU has no tiles for warps.
// expected-error@+1 {{expected a warp_schedule, got a schedule for CPUs}}
attn.kernel @plain_f32_d64 dtype(f32) head_dim(64) value_dim(64) {
}

// -----

// Entries for short grids have names that follow from the kernel's.
// expected-error@+1 {{expected a name that ends with `_short` with `short_grid`}}
tile.kernel @plain warp_schedule(<query_block = 64, warp_rows = 16, key_block = 32, masked_key_block = 32, tensor_cores = true, short_grid = true>) queries(%block) {
  attn.kernel @plain dtype(bf16) head_dim(64) value_dim(64) {
  }
  %q = tile.load_queries %block
  %state = tile.init_state %block
  tile.epilogue %state[%block]
}
