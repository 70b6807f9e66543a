// RUN: attn-opt %s -split-input-file -verify-diagnostics

attn.kernel @unknown_dimension dtype(f32) head_dim(8) value_dim(8) {
  attn.capture @x : f32["N"]
  attn.score(%score, %b, %h, %q, %kv) {
    // expected-error @+1 {{expected B, Hq, Hkv, Q, KV or an extent of a captured tensor, got `M`}}
    %m = attn.dim "M" : i64
    attn.yield %score : f32
  }
}

// -----

attn.kernel @narrow_extent dtype(f32) head_dim(8) value_dim(8) {
  attn.capture @x : f32["N"]
  attn.score(%score, %b, %h, %q, %kv) {
    // expected-error @+1 {{expected an extent to be i64, got 'i32'}}
    %n = attn.dim "N" : i32
    attn.yield %score : f32
  }
}

// -----

attn.kernel @unknown_scalar dtype(f32) head_dim(8) value_dim(8) {
  attn.score(%score, %b, %h, %q, %kv) {
    // expected-error @+1 {{expected the name of an attn.scalar, got `cap`}}
    %cap = attn.get @cap : f32
    attn.yield %cap : f32
  }
}

// -----

attn.kernel @scalar_result dtype(f32) head_dim(8) value_dim(8) {
  attn.scalar @n : i64
  attn.score(%score, %b, %h, %q, %kv) {
    // expected-error @+1 {{expected a result type that holds 'i64', got 'i32'}}
    %n = attn.get @n : i32
    attn.yield %score : f32
  }
}

// -----

attn.kernel @unknown_source dtype(f32) head_dim(8) value_dim(8) {
  attn.score(%score, %b, %h, %q, %kv) {
    // expected-error @+1 {{expected the name of an attn.capture or attn.table, got `x`}}
    %x = attn.load @x[] : f32
    attn.yield %x : f32
  }
}

// -----

attn.kernel @index_count dtype(f32) head_dim(8) value_dim(8) {
  attn.capture @x : f32["Q", "KV"]
  attn.score(%score, %b, %h, %q, %kv) {
    // expected-error @+1 {{expected 2 indices, got 1}}
    %x = attn.load @x[%q] : f32
    attn.yield %x : f32
  }
}

// -----

attn.kernel @check_count dtype(f32) head_dim(8) value_dim(8) {
  attn.capture @x : f32["Q"]
  attn.score(%score, %b, %h, %q, %kv) {
    // expected-error @+1 {{expected one check an index, got 0 for 1}}
    %x = "attn.load"(%q) <{source = @x, checks = array<i32>}> : (i64) -> f32
    attn.yield %x : f32
  }
}

// -----

attn.kernel @check_kind dtype(f32) head_dim(8) value_dim(8) {
  attn.capture @x : f32["Q"]
  attn.score(%score, %b, %h, %q, %kv) {
    // expected-error @+1 {{expected checks of inside, clamp or wrap, got 7}}
    %x = "attn.load"(%q) <{source = @x, checks = array<i32: 7>}> : (i64) -> f32
    attn.yield %x : f32
  }
}

// -----

attn.kernel @load_result dtype(f32) head_dim(8) value_dim(8) {
  attn.table @x = dense<1.0> : tensor<2xf16>
  attn.mask(%b, %h, %q, %kv) {
    // expected-error @+1 {{expected a result type that holds 'f16', got 'i1'}}
    %x = attn.load @x[%q] : i1
    attn.yield %x : i1
  }
}
