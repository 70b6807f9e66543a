// RUN: attn-opt %s -split-input-file -canonicalize | FileCheck %s

// Constant indices are applied with their checks; loads that nothing decides stay.
// CHECK-LABEL: attn.kernel @constant_index
attn.kernel @constant_index dtype(f32) head_dim(8) value_dim(8) {
  attn.capture @x : i32["B", "B", "B", "B", "B", "B"]
  attn.table @t = dense<[[10, 20, 30], [40, 50, 60]]> : tensor<2x3xi16>
  attn.mask(%b, %h, %q, %kv) {
    // CHECK-DAG: %[[C60:.*]] = arith.constant 60 : i64
    // CHECK-DAG: %[[C10:.*]] = arith.constant 10 : i64
    // CHECK-DAG: %[[C50:.*]] = arith.constant 50 : i64
    // CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i64
    %one = arith.constant 1 : i64
    %minus = arith.constant -1 : i64
    %far = arith.constant -100 : i64
    %beyond = arith.constant 100 : i64
    %a = attn.load @t[%minus, %beyond] : i64
    %b1 = attn.load @t[%far, clamp %minus] : i64
    %c = attn.load @t[inside %one, inside %one] : i64
    // CHECK: %[[D:.*]] = attn.load @t[%[[ONE]], %{{.*}}] : i64
    %d = attn.load @t[%one, %q] : i64
    // CHECK: attn.load @x[%[[C60]], %[[C10]], %[[C50]], %[[D]], %[[D]], %[[D]]]
    %l = attn.load @x[%a, %b1, %c, %d, %d, %d] : i64
    %m = arith.cmpi sge, %l, %kv : i64
    attn.yield %m : i1
  }
}

// -----

// Stored types are widened: f16 to f32, ui8 by zeros, i8 by its sign; an empty table gives 0.
// CHECK-LABEL: attn.kernel @types
attn.kernel @types dtype(f32) head_dim(8) value_dim(8) {
  attn.capture @x : f32["B", "B", "B", "B"]
  attn.table @halves = dense<[1.5, -0.5]> : tensor<2xf16>
  attn.table @bytes = dense<[7, 255]> : tensor<2xui8>
  attn.table @signed = dense<[7, -1]> : tensor<2xi8>
  attn.table @flags = dense<[false, true]> : tensor<2xi1>
  attn.table @empty = dense<> : tensor<3x0xi32>
  attn.table @scalar = dense<2.0> : tensor<f32>
  attn.score(%score, %b, %h, %q, %kv) {
    // CHECK-DAG: %[[HALF:.*]] = arith.constant -5.000000e-01 : f32
    // CHECK-DAG: %[[TWO:.*]] = arith.constant 2.000000e+00 : f32
    // CHECK-DAG: %[[C255:.*]] = arith.constant 255 : i64
    // CHECK-DAG: %[[MINUS:.*]] = arith.constant -1 : i32
    // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %half = attn.load @halves[%one] : f32
    %byte = attn.load @bytes[%one] : i64
    %sign = attn.load @signed[%one] : i32
    %flag = attn.load @flags[%one] : i1
    %none = attn.load @empty[%q, %kv] : i64
    %two = attn.load @scalar[] : f32
    %chosen = arith.select %flag, %q, %kv : i64
    // CHECK: attn.load @x[%{{.*}}, %[[C255]], %[[MINUS]], %[[ZERO]] : i64, i64, i32, i64]
    %l = attn.load @x[%chosen, %byte, %sign, %none : i64, i64, i32, i64] : f32
    // CHECK: arith.addf %{{.*}}, %[[HALF]]
    %r = arith.addf %l, %half : f32
    // CHECK: arith.mulf %{{.*}}, %[[TWO]]
    %s = arith.mulf %r, %two : f32
    attn.yield %s : f32
  }
}

// -----

// A table of one value needs no index, unless an index outside is to be reported.
// CHECK-LABEL: attn.kernel @splat
// CHECK: arith.constant 3.0
// CHECK-NOT: attn.load
attn.kernel @splat dtype(f32) head_dim(8) value_dim(8) {
  attn.table @t = dense<3.0> : tensor<8xf32>
  attn.score(%score, %b, %h, %q, %kv) {
    %x = attn.load @t[%q] : f32
    %r = arith.mulf %score, %x : f32
    attn.yield %r : f32
  }
}

// -----

// CHECK-LABEL: attn.kernel @checked_splat
// CHECK: attn.load
attn.kernel @checked_splat dtype(f32) head_dim(8) value_dim(8) checked {
  attn.table @t = dense<3.0> : tensor<8xf32>
  attn.score(%score, %b, %h, %q, %kv) {
    %x = attn.load @t[%q] : f32
    %r = arith.mulf %score, %x : f32
    attn.yield %r : f32
  }
}
