// RUN: attn-opt %s -split-input-file -pass-pipeline='builtin.module(attn.kernel(attn-extract-mask,canonicalize))' | FileCheck %s

// The condition becomes the mask of a kernel without one; nothing of the score is left.
// CHECK-LABEL: attn.kernel @causal
// CHECK-NEXT: attn.mask(%{{.*}}, %{{.*}}, %[[Q:.*]], %[[KV:.*]]) {
// CHECK-NEXT:   %[[M:.*]] = arith.cmpi sge, %[[Q]], %[[KV]]
// CHECK-NEXT:   attn.yield %[[M]]
attn.kernel @causal dtype(f32) head_dim(8) value_dim(8) {
  attn.score(%score, %b, %h, %q, %kv) {
    %inf = arith.constant 0xFF800000 : f32
    %m = arith.cmpi sge, %q, %kv : i64
    %r = arith.select %m, %score, %inf : f32
    attn.yield %r : f32
  }
}

// -----

// The other arm: the negation, and-ed with the mask. What the score needs stays in it.
// CHECK-LABEL: attn.kernel @negated
// CHECK: attn.score(%[[S:.*]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) {
// CHECK-NEXT: %[[D:.*]] = arith.addf %[[S]], %[[S]]
// CHECK-NEXT: attn.yield %[[D]]
// CHECK: attn.mask(%{{.*}}, %{{.*}}, %[[Q:.*]], %[[KV:.*]]) {
// CHECK-DAG: %[[OLD:.*]] = arith.cmpi sge, %[[Q]], %[[KV]]
// CHECK-DAG: %[[NEW:.*]] = arith.cmpi sle, %[[Q]], %{{.*}}
// CHECK: %[[AND:.*]] = arith.andi %[[OLD]], %[[NEW]]
// CHECK-NEXT: attn.yield %[[AND]]
attn.kernel @negated dtype(f32) head_dim(8) value_dim(8) {
  attn.capture @len : i32["B"]
  attn.score(%score, %b, %h, %q, %kv) {
    %inf = arith.constant 0xFF800000 : f32
    %len = attn.load @len[inside %b] : i64
    %m = arith.cmpi sgt, %q, %len : i64
    %d = arith.addf %score, %score : f32
    %r = arith.select %m, %inf, %d : f32
    attn.yield %r : f32
  }
  attn.mask(%b, %h, %q, %kv) {
    %m = arith.cmpi sge, %q, %kv : i64
    attn.yield %m : i1
  }
}

// -----

// A choice of choices: kept are q >= kv where kv >= 4, and all else.
// CHECK-LABEL: attn.kernel @nested
// CHECK: attn.score(%[[S:.*]], %{{.*}}, %{{.*}}, %{{.*}}, %[[KV:.*]]) {
// CHECK: %[[FEW:.*]] = arith.cmpi slt, %[[KV]], %{{.*}}
// CHECK: %[[R:.*]] = arith.select %[[FEW]], %{{.*}}, %[[S]]
// CHECK: attn.yield %[[R]]
// CHECK: attn.mask(%{{.*}}, %{{.*}}, %[[Q:.*]], %[[KV:.*]]) {
// CHECK-DAG: %[[FEW:.*]] = arith.cmpi slt, %[[KV]], %{{.*}}
// CHECK-DAG: %[[M:.*]] = arith.cmpi sge, %[[Q]], %[[KV]]
// CHECK: %[[OR:.*]] = arith.ori %[[FEW]], %[[M]]
// CHECK-NEXT: attn.yield %[[OR]]
attn.kernel @nested dtype(f32) head_dim(8) value_dim(8) {
  attn.score(%score, %b, %h, %q, %kv) {
    %inf = arith.constant 0xFF800000 : f32
    %four = arith.constant 4 : i64
    %few = arith.cmpi slt, %kv, %four : i64
    %m = arith.cmpi sge, %q, %kv : i64
    %d = arith.addf %score, %score : f32
    %inner = arith.select %m, %score, %inf : f32
    %r = arith.select %few, %d, %inner : f32
    attn.yield %r : f32
  }
}

// -----

// Every choice is -inf.
// CHECK-LABEL: attn.kernel @always
// CHECK-NEXT: attn.mask
// CHECK-NEXT:   %[[F:.*]] = arith.constant false
// CHECK-NEXT:   attn.yield %[[F]]
attn.kernel @always dtype(f32) head_dim(8) value_dim(8) {
  attn.score(%score, %b, %h, %q, %kv) {
    %inf = arith.constant 0xFF800000 : f32
    attn.yield %inf : f32
  }
}

// -----

// What depends on the score is no mask; +inf is none either; nor is -inf below the root.
// CHECK-LABEL: attn.kernel @stays
// CHECK-NOT: attn.mask
// CHECK: arith.select
// CHECK: arith.select
// CHECK: arith.select
// CHECK-NOT: attn.mask
attn.kernel @stays dtype(f32) head_dim(8) value_dim(8) {
  attn.score(%score, %b, %h, %q, %kv) {
    %zero = arith.constant 0.0 : f32
    %minus = arith.constant 0xFF800000 : f32
    %plus = arith.constant 0x7F800000 : f32
    %m = arith.cmpi sge, %q, %kv : i64
    %below = arith.select %m, %score, %minus : f32
    %sum = arith.addf %below, %score : f32
    %large = arith.select %m, %sum, %plus : f32
    %positive = arith.cmpf ogt, %score, %zero : f32
    %r = arith.select %positive, %large, %minus : f32
    attn.yield %r : f32
  }
}

// -----

// A checked kernel reports a clamped index at pairs that take part, so its loads stay.
// CHECK-LABEL: attn.kernel @checked
// CHECK-NOT: attn.mask
attn.kernel @checked dtype(f32) head_dim(8) value_dim(8) checked {
  attn.capture @len : i32["B"]
  attn.score(%score, %b, %h, %q, %kv) {
    %inf = arith.constant 0xFF800000 : f32
    %len = attn.load @len[%q] : i64
    %m = arith.cmpi sgt, %q, %len : i64
    %r = arith.select %m, %inf, %score : f32
    attn.yield %r : f32
  }
}
