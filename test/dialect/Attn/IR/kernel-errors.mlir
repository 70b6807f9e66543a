// RUN: attn-opt %s -allow-unregistered-dialect -split-input-file -verify-diagnostics

// expected-error @+1 {{expected head_dim and value_dim from 1 to 576, got 0 and 8}}
attn.kernel @head_dim dtype(f32) head_dim(0) value_dim(8) {
}

// -----

// expected-error @+1 {{expected a constant scale or a scale argument, got both}}
attn.kernel @scale dtype(f32) head_dim(8) value_dim(8) scale(1.0) scale_argument {
}

// -----

// expected-error @+1 {{expected a finite scale}}
attn.kernel @infinite_scale dtype(f32) head_dim(8) value_dim(8) scale(0x7F800000) {
}

// -----

// expected-error @+1 {{attribute 'dtype' failed to satisfy constraint}}
attn.kernel @dtype dtype(f64) head_dim(8) value_dim(8) {
}

// -----

attn.kernel @other_op dtype(f32) head_dim(8) value_dim(8) {
  // expected-error @+1 {{expected a declaration, attn.score or attn.mask in a kernel}}
  %c = arith.constant 1 : i32
}

// -----

attn.kernel @order dtype(f32) head_dim(8) value_dim(8) {
  attn.score(%score, %b, %h, %q, %kv) {
    attn.yield %score : f32
  }
  // expected-error @+1 {{expected declarations before attn.score and attn.mask}}
  attn.scalar @cap : f32
}

// -----

// expected-error @+1 {{expected at most one attn.score and one attn.mask, got 2 and 0}}
attn.kernel @two_scores dtype(f32) head_dim(8) value_dim(8) {
  attn.score(%score, %b, %h, %q, %kv) {
    attn.yield %score : f32
  }
  attn.score(%score, %b, %h, %q, %kv) {
    attn.yield %score : f32
  }
}

// -----

attn.kernel @arguments dtype(f32) head_dim(8) value_dim(8) {
  // expected-error @+1 {{expected 4 or 5 arguments}}
  attn.score(%score, %b, %h) {
    attn.yield %score : f32
  }
}

// -----

attn.kernel @argument_types dtype(f32) head_dim(8) value_dim(8) {
  // expected-error @+1 {{expected 4 arguments of types 'i64', 'i64', 'i64', 'i64', got 'f32', 'i64', 'i64', 'i64', 'i64'}}
  attn.mask(%score, %b, %h, %q, %kv) {
    %m = arith.cmpi sge, %q, %kv : i64
    attn.yield %m : i1
  }
}

// -----

attn.kernel @no_yield dtype(f32) head_dim(8) value_dim(8) {
  // expected-error @+1 {{expected a body that ends with attn.yield}}
  "attn.score"() ({
  ^bb0(%score: f32, %b: i64, %h: i64, %q: i64, %kv: i64):
    "other.end"() : () -> ()
  }) : () -> ()
}

// -----

attn.kernel @yield_type dtype(f32) head_dim(8) value_dim(8) {
  attn.score(%score, %b, %h, %q, %kv) {
    // expected-error @+1 {{expected to yield 'f32', got 'i64'}}
    attn.yield %q : i64
  }
}

// -----

attn.kernel @outside_value dtype(f32) head_dim(8) value_dim(8) {
  attn.score(%score, %b, %h, %q, %kv) {
    // expected-error @+1 {{expected values of type f32, f16, bf16, i1, i32 or i64, got 'f64'}}
    %wide = arith.extf %score : f32 to f64
    %r = arith.truncf %wide : f64 to f32
    attn.yield %r : f32
  }
}

// -----

attn.kernel @impure dtype(f32) head_dim(8) value_dim(8) {
  attn.score(%score, %b, %h, %q, %kv) {
    // expected-error @+1 {{expected only pure ops without regions in attn.score}}
    builtin.module {}
    attn.yield %score : f32
  }
}
