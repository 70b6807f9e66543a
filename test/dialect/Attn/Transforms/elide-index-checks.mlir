// RUN: attn-opt %s -split-input-file -pass-pipeline='builtin.module(attn.kernel(attn-elide-index-checks))' | FileCheck %s

// Each position is inside its own size, and inside larger ones.
// CHECK-LABEL: attn.kernel @positions
// CHECK: attn.load @x[inside %{{.*}}, inside %{{.*}}, inside %{{.*}}, inside %{{.*}}]
// CHECK: attn.load @y[inside %{{.*}}, clamp %{{.*}}, clamp %{{.*}}]
attn.kernel @positions dtype(f32) head_dim(8) value_dim(8) {
  attn.capture @x : f32["B", "Hq", "Q", 2 * "KV" + 3]
  attn.capture @y : f32["Q" + 3, "KV", "N"]
  attn.score(%score, %b, %h, %q, %kv) {
    %x = attn.load @x[%b, %h, %q, %kv] : f32
    %y = attn.load @y[%q, %q, %kv] : f32
    %r = arith.addf %x, %y : f32
    attn.yield %r : f32
  }
}

// -----

// A relative position is inside a table of all distances; one that may be negative still counts from the end.
// CHECK-LABEL: attn.kernel @relative
// CHECK: attn.load @rel[inside %{{.*}}, inside %{{.*}}]
// CHECK: attn.load @rel[inside %{{.*}}, %{{.*}}]
attn.kernel @relative dtype(f32) head_dim(8) value_dim(8) {
  attn.capture @rel : f32["Hq", "Q" + "KV" - 1]
  attn.score(%score, %b, %h, %q, %kv) {
    %one = arith.constant 1 : i64
    %len = attn.dim "KV" : i64
    %distance = arith.subi %q, %kv : i64
    %sum = arith.addi %distance, %len : i64
    %index = arith.subi %sum, %one : i64
    %x = attn.load @rel[%h, %index] : f32
    %y = attn.load @rel[%h, %distance] : f32
    %r = arith.addf %x, %y : f32
    attn.yield %r : f32
  }
}

// -----

// Clamped values, remainders and loaded numbers against tables of known size.
// CHECK-LABEL: attn.kernel @computed
// CHECK: attn.load @t[inside %{{.*}}]
// CHECK: attn.load @t[inside %{{.*}}]
// CHECK: attn.load @t[clamp %{{.*}}]
// CHECK: attn.load @wide[inside %{{.*}}]
// CHECK: attn.load @t[%{{.*}}]
// CHECK: attn.load @x[inside %{{.*}}]
attn.kernel @computed dtype(f32) head_dim(8) value_dim(8) {
  attn.capture @bytes : ui8[]
  attn.capture @x : f32["KV"]
  attn.table @t = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  attn.table @wide = dense<1.0> : tensor<256xf32>
  attn.score(%score, %b, %h, %q, %kv) {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %two = arith.constant 2 : i64
    %three = arith.constant 3 : i64
    %len = attn.dim "KV" : i64
    %distance = arith.subi %q, %kv : i64
    %positive = arith.maxsi %distance, %zero : i64
    %clamped = arith.minsi %positive, %two : i64
    %mod = attn.floormod %distance, %three : i64
    %bytes = attn.load @bytes[] : i64
    %last = arith.subi %len, %one : i64
    %near = arith.minsi %positive, %last : i64
    %0 = attn.load @t[%clamped] : f32
    %1 = attn.load @t[%mod] : f32
    %2 = attn.load @t[%bytes] : f32
    %3 = attn.load @wide[%bytes] : f32
    %4 = attn.load @t[%distance] : f32
    %5 = attn.load @x[%near] : f32
    %6 = arith.addf %0, %1 : f32
    %7 = arith.addf %2, %3 : f32
    %8 = arith.addf %4, %5 : f32
    %9 = arith.addf %6, %7 : f32
    %r = arith.addf %8, %9 : f32
    attn.yield %r : f32
  }
}

// -----

// A sum that may wrap around proves nothing.
// CHECK-LABEL: attn.kernel @wraps
// CHECK: attn.load @x[%{{.*}}]
attn.kernel @wraps dtype(f32) head_dim(8) value_dim(8) {
  attn.capture @x : f32["KV"]
  attn.capture @pos : i64["KV"]
  attn.score(%score, %b, %h, %q, %kv) {
    %zero = arith.constant 0 : i64
    %pos = attn.load @pos[%kv] : i64
    %positive = arith.maxsi %pos, %zero : i64
    %sum = arith.addi %positive, %q : i64
    %r = attn.load @x[%sum] : f32
    attn.yield %r : f32
  }
}
