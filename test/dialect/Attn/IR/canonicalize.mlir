// RUN: attn-opt %s -split-input-file -canonicalize | FileCheck %s

// A score that stays as it is and a mask that excludes nothing are not there.
// CHECK-LABEL: attn.kernel @nothing
// CHECK-NEXT:  }
attn.kernel @nothing dtype(f32) head_dim(8) value_dim(8) {
  attn.score(%score, %b, %h, %q, %kv) {
    %unused = arith.addi %q, %kv : i64
    attn.yield %score : f32
  }
  attn.mask(%b, %h, %q, %kv) {
    %m = arith.cmpi sge, %q, %q : i64
    attn.yield %m : i1
  }
}

// -----

// A mask that excludes everything stays, its constant inside the region.
// CHECK-LABEL: attn.kernel @everything
// CHECK-NEXT:  attn.mask
// CHECK-NEXT:  %[[FALSE:.*]] = arith.constant false
// CHECK-NEXT:  attn.yield %[[FALSE]]
attn.kernel @everything dtype(f32) head_dim(8) value_dim(8) {
  attn.mask(%b, %h, %q, %kv) {
    %m = arith.cmpi sgt, %q, %q : i64
    attn.yield %m : i1
  }
}

// -----

// Division by a power of two, a zero dividend and -1.
// CHECK-LABEL: attn.kernel @division
// CHECK: attn.mask(%{{.*}}, %{{.*}}, %[[Q:.*]], %[[KV:.*]]) {
attn.kernel @division dtype(f32) head_dim(8) value_dim(8) {
  attn.capture @x : i32["B", "B", "B", "B", "B", "B"]
  attn.mask(%b, %h, %q, %kv) {
    %zero = arith.constant 0 : i64
    %c64 = arith.constant 64 : i64
    %c6 = arith.constant 6 : i64
    %minus = arith.constant -1 : i64
    %least = arith.constant -9223372036854775808 : i64
    // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i64
    // CHECK-DAG: %[[SIX:.*]] = arith.constant 6 : i64
    // CHECK-DAG: %[[C63:.*]] = arith.constant 63 : i64
    // CHECK-DAG: %[[LEAST:.*]] = arith.constant -9223372036854775808 : i64
    // CHECK: %[[SHIFT:.*]] = arith.shrsi %[[Q]], %[[SIX]] : i64
    %shift = attn.floordiv %q, %c64 : i64
    // CHECK: %[[AND:.*]] = arith.andi %[[Q]], %[[C63]] : i64
    %and = attn.floormod %q, %c64 : i64
    // CHECK: %[[DIV:.*]] = attn.floordiv %[[Q]], %[[SIX]] : i64
    %div = attn.floordiv %q, %c6 : i64
    // CHECK: %[[NEG:.*]] = arith.subi %[[ZERO]], %[[KV]] : i64
    %neg = attn.floordiv %kv, %minus : i64
    // CHECK: %[[SMALL:.*]] = attn.floordiv %[[Q]], %[[LEAST]] : i64
    %small = attn.floordiv %q, %least : i64
    %nothing = attn.floormod %zero, %q : i64
    // CHECK: attn.load @x[%[[SHIFT]], %[[AND]], %[[DIV]], %[[NEG]], %[[SMALL]], %[[ZERO]]]
    %l = attn.load @x[%shift, %and, %div, %neg, %small, %nothing] : i64
    %m = arith.cmpi sge, %l, %kv : i64
    attn.yield %m : i1
  }
}

// -----

// The edges of the total ops, folded.
// CHECK-LABEL: attn.kernel @edges
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[LEAST:.*]] = arith.constant -9223372036854775808 : i64
// CHECK-DAG: %[[MINUS4:.*]] = arith.constant -4 : i64
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[MOST:.*]] = arith.constant 9223372036854775807 : i64
// CHECK: attn.load @x[%[[ZERO]], %[[LEAST]], %[[MINUS4]], %[[ONE]], %[[MOST]], %[[ZERO]]]
attn.kernel @edges dtype(f32) head_dim(8) value_dim(8) {
  attn.capture @x : i32["B", "B", "B", "B", "B", "B"]
  attn.mask(%b, %h, %q, %kv) {
    %zero = arith.constant 0 : i64
    %minus = arith.constant -1 : i64
    %seven = arith.constant -7 : i64
    %two = arith.constant 2 : i64
    %least = arith.constant -9223372036854775808 : i64
    %inf = arith.constant 0x7F800000 : f32
    %nan = arith.constant 0x7FC00000 : f32
    %a = attn.floordiv %q, %zero : i64
    %b1 = attn.floordiv %least, %minus : i64
    %c = attn.floordiv %seven, %two : i64
    %d = attn.floormod %seven, %two : i64
    %e = attn.to_int %inf : f32 to i64
    %f = attn.to_int %nan : f32 to i64
    %l = attn.load @x[%a, %b1, %c, %d, %e, %f] : i64
    %m = arith.cmpi sge, %l, %kv : i64
    attn.yield %m : i1
  }
}
