// RUN: attn-opt %s -split-input-file -verify-diagnostics

// expected-error@+1 {{expected a query tile that is a multiple of the lanes, got 24 and 16}}
tile.kernel @a schedule(<query_block = 48, query_tile = 24, key_block = 96, row_tile = 8, lanes = 16>) queries(%block) {
}

// -----

// expected-error@+1 {{expected a query block that is a multiple of the query tile, got 48 and 32}}
tile.kernel @a schedule(<query_block = 48, query_tile = 32, key_block = 96, row_tile = 8, lanes = 16>) queries(%block) {
}

// -----

// expected-error@+1 {{expected a key block that is a multiple of the row tile, got 100 and 8}}
tile.kernel @a schedule(<query_block = 64, query_tile = 32, key_block = 100, row_tile = 8, lanes = 16>) queries(%block) {
}

// -----

// expected-error@+1 {{expected a row tile that is a multiple of 2, got 3}}
tile.kernel @a schedule(<query_block = 64, query_tile = 32, key_block = 96, row_tile = 3, lanes = 16>) queries(%block) {
}

// -----

// expected-error@+1 {{expected lanes that are a power of 2, got 12}}
tile.kernel @a schedule(<query_block = 48, query_tile = 24, key_block = 96, row_tile = 8, lanes = 12>) queries(%block) {
}

// -----

// expected-error@+1 {{expected 16 lanes with `reduce_scale` or `bf16_dot`, got 8}}
tile.kernel @a schedule(<query_block = 64, query_tile = 16, key_block = 96, row_tile = 8, lanes = 8, features = "bf16_dot">) queries(%block) {
}

// -----

// expected-error@+1 {{expected sizes of at least 1 in a schedule}}
tile.kernel @a schedule(<query_block = 64, query_tile = 32, key_block = 96, row_tile = 0, lanes = 16>) queries(%block) {
}

// -----

// expected-error@+1 {{expected an attn.kernel of the same name, got @b}}
tile.kernel @a schedule(<query_block = 64, query_tile = 32, key_block = 96, row_tile = 8, lanes = 16>) queries(%block) {
  attn.kernel @b dtype(f32) head_dim(8) value_dim(8) {
  }
}

// -----

// expected-error@+1 {{expected a body that starts with an attn.kernel}}
tile.kernel @a schedule(<query_block = 64, query_tile = 32, key_block = 96, row_tile = 8, lanes = 16>) queries(%block) {
  %q = tile.load_queries %block
}

// -----

// expected-error@+1 {{expected bodies with one argument of type !tile.range, got }}
"tile.kernel"() <{sym_name = "a", schedule = #tile.schedule<query_block = 64, query_tile = 32, key_block = 96, row_tile = 8, lanes = 16>}> ({
^bb0(%block: i64):
  attn.kernel @a dtype(f32) head_dim(8) value_dim(8) {
  }
}) : () -> ()

// -----

tile.kernel @a schedule(<query_block = 64, query_tile = 32, key_block = 96, row_tile = 8, lanes = 16>) queries(%block) {
  attn.kernel @a dtype(f32) head_dim(8) value_dim(8) {
  }
  %q = tile.load_queries %block
  tile.for_keys(%keys) of %block {
    %k = tile.load_keys %keys
    tile.for_queries of %block, %keys full(%rows) {
      // expected-error@+1 {{expected one use of its result, got 0}}
      %s = tile.dot %q[%rows], %k
    } partial(%rows) {
    }
  }
}

// -----

tile.kernel @a schedule(<query_block = 64, query_tile = 32, key_block = 96, row_tile = 8, lanes = 16>) queries(%block) {
  attn.kernel @a dtype(f32) head_dim(8) value_dim(8) {
  }
  %q = tile.load_queries %block
  %state = tile.init_state %block
  tile.for_keys(%keys) of %block {
    %v = tile.load_values %keys
    %k = tile.load_keys %keys
    tile.for_queries of %block, %keys full(%rows) {
      %s = tile.dot %q[%rows], %k
      // expected-error@+1 {{expected no mask where every pair takes part}}
      %t = tile.mask %s[%rows, %keys]
      %p = tile.softmax_step %t, %state[%rows]
      tile.dot_acc %p, %v, %state[%rows]
    } partial(%rows) {
    }
  }
}

// -----

// expected-error@+1 {{expected a body that ends with tile.epilogue}}
tile.kernel @a schedule(<query_block = 64, query_tile = 32, key_block = 96, row_tile = 8, lanes = 16>) queries(%block) {
  attn.kernel @a dtype(f32) head_dim(8) value_dim(8) {
  }
  %state = tile.init_state %block
}

// -----

tile.kernel @a schedule(<query_block = 64, query_tile = 32, key_block = 96, row_tile = 8, lanes = 16>) queries(%block) {
  attn.kernel @a dtype(f32) head_dim(8) value_dim(8) {
  }
  %state = tile.init_state %block
  // expected-error@+1 {{expected one epilogue, at the end of the kernel}}
  tile.epilogue %state[%block]
  tile.epilogue %state[%block]
}

// -----

// expected-error@+1 {{expected rows of a warp that are a multiple of 16, got 24}}
tile.kernel @a warp_schedule(<query_block = 48, warp_rows = 24, key_block = 64, masked_key_block = 64, tensor_cores = true>) queries(%block) {
}

// -----

// expected-error@+1 {{expected a query block of 1 to 32 warps of 32 rows, got 80}}
tile.kernel @a warp_schedule(<query_block = 80, warp_rows = 32, key_block = 64, masked_key_block = 64, tensor_cores = true>) queries(%block) {
}

// -----

// expected-error@+1 {{expected a query block of 1 to 32 warps of 16 rows, got 528}}
tile.kernel @a warp_schedule(<query_block = 528, warp_rows = 16, key_block = 64, masked_key_block = 64, tensor_cores = true>) queries(%block) {
}

// -----

// expected-error@+1 {{expected a masked key block that is a multiple of 16, got 24}}
tile.kernel @a warp_schedule(<query_block = 64, warp_rows = 16, key_block = 48, masked_key_block = 24, tensor_cores = true>) queries(%block) {
}

// -----

// expected-error@+1 {{expected a key block that is a multiple of the masked key block, got 64 and 48}}
tile.kernel @a warp_schedule(<query_block = 64, warp_rows = 16, key_block = 64, masked_key_block = 48, tensor_cores = true>) queries(%block) {
}

// -----

// expected-error@+1 {{expected a key block of at most 256, got 65536}}
tile.kernel @a warp_schedule(<query_block = 64, warp_rows = 16, key_block = 65536, masked_key_block = 64, tensor_cores = true>) queries(%block) {
}

// -----

// expected-error@+1 {{expected either a schedule or a warp_schedule}}
tile.kernel @a queries(%block) {
}

// -----

// expected-error@+1 {{expected either a schedule or a warp_schedule}}
tile.kernel @a schedule(<query_block = 64, query_tile = 32, key_block = 96, row_tile = 8, lanes = 16>) warp_schedule(<query_block = 64, warp_rows = 16, key_block = 64, masked_key_block = 64, tensor_cores = true>) queries(%block) {
}

// -----

// expected-error@+1 {{expected one size of key blocks with `short_grid`, got 64 and 32}}
tile.kernel @a_short warp_schedule(<query_block = 64, warp_rows = 16, key_block = 64, masked_key_block = 32, tensor_cores = true, short_grid = true>) queries(%block) {
}

// -----

// expected-error@+1 {{expected `tensor_cores` with `tf32 = split`}}
tile.kernel @a warp_schedule(<query_block = 64, warp_rows = 16, key_block = 64, masked_key_block = 64, tensor_cores = false, tf32 = split>) queries(%block) {
}

// -----

// expected-error@+1 {{expected `tf32` with `tensor_cores` in a kernel of f32}}
tile.kernel @a warp_schedule(<query_block = 64, warp_rows = 16, key_block = 64, masked_key_block = 64, tensor_cores = true>) queries(%block) {
  attn.kernel @a dtype(f32) head_dim(64) value_dim(64) {
  }
}

// -----

// expected-error@+1 {{expected a kernel of f32 with `tf32`, got 'bf16'}}
tile.kernel @a warp_schedule(<query_block = 64, warp_rows = 16, key_block = 64, masked_key_block = 64, tensor_cores = true, tf32 = rounded>) queries(%block) {
  attn.kernel @a dtype(bf16) head_dim(64) value_dim(64) {
  }
}
