// RUN: attn-opt %s -split-input-file -pass-pipeline='builtin.module(attn.kernel(attn-narrow-integers,cse))' | FileCheck %s

// Positions are truncated once; what is computed from them stays in 32 bits up to its user.
// CHECK-LABEL: attn.kernel @alibi
// CHECK: attn.score(%{{.*}}, %{{.*}}, %[[H:.*]], %[[Q:.*]], %[[KV:.*]]) {
// CHECK-DAG: %[[H32:.*]] = arith.trunci %[[H]]
// CHECK-DAG: %[[Q32:.*]] = arith.trunci %[[Q]]
// CHECK-DAG: %[[KV32:.*]] = arith.trunci %[[KV]]
// CHECK: attn.load @slopes[%[[H32]] : i32] : f32
// CHECK: %[[D:.*]] = arith.subi %[[KV32]], %[[Q32]] : i32
// CHECK: arith.sitofp %[[D]] : i32 to f32
attn.kernel @alibi dtype(f32) head_dim(8) value_dim(8) {
  attn.capture @slopes : f32["Hq"]
  attn.score(%score, %b, %h, %q, %kv) {
    %slope = attn.load @slopes[%h] : f32
    %distance = arith.subi %kv, %q : i64
    %d = arith.sitofp %distance : i64 to f32
    %bias = arith.mulf %slope, %d : f32
    %r = arith.addf %score, %bias : f32
    attn.yield %r : f32
  }
}

// -----

// A sum that does not fit is computed in 32 bits where what becomes of it fits.
// CHECK-LABEL: attn.kernel @bottom_right
// CHECK: %[[LEN:.*]] = attn.dim "KV" : i32
// CHECK: %[[SUM:.*]] = arith.addi %{{.*}}, %[[LEN]] : i32
// CHECK: %[[ROWS:.*]] = attn.dim "Q" : i32
// CHECK: %[[DIFF:.*]] = arith.subi %[[SUM]], %[[ROWS]] : i32
// CHECK: arith.cmpi sge, %[[DIFF]], %{{.*}} : i32
attn.kernel @bottom_right dtype(f32) head_dim(8) value_dim(8) {
  attn.mask(%b, %h, %q, %kv) {
    %len = attn.dim "KV" : i64
    %sum = arith.addi %q, %len : i64
    %rows = attn.dim "Q" : i64
    %diff = arith.subi %sum, %rows : i64
    %m = arith.cmpi sge, %diff, %kv : i64
    attn.yield %m : i1
  }
}

// -----

// What does not fit stays: a sum of lengths, a product, an extent, a 64-bit tensor.
// CHECK-LABEL: attn.kernel @wide
// CHECK-NOT: i32
// CHECK: attn.yield
attn.kernel @wide dtype(f32) head_dim(8) value_dim(8) {
  attn.capture @pos : i64["N"]
  attn.mask(%b, %h, %q, %kv) {
    %len = attn.dim "KV" : i64
    %n = attn.dim "N" : i64
    %pos = attn.load @pos[%n] : i64
    %sum = arith.addi %q, %len : i64
    %product = arith.muli %q, %kv : i64
    %a = arith.cmpi sge, %sum, %kv : i64
    %b1 = arith.cmpi sge, %product, %len : i64
    %c = arith.cmpi sge, %n, %q : i64
    %d = arith.cmpi sge, %pos, %q : i64
    %e = arith.andi %a, %b1 : i1
    %f = arith.andi %c, %d : i1
    %m = arith.andi %e, %f : i1
    attn.yield %m : i1
  }
}

// -----

// Narrow storage is read as i32; division, remainder, shift, minimum and select follow where they fit.
// CHECK-LABEL: attn.kernel @ops
// CHECK: attn.load @doc[{{.*}} : i32, i32] : i32
// CHECK: attn.floordiv {{.*}} : i32
// CHECK: attn.floormod {{.*}} : i32
// CHECK: arith.shrsi {{.*}} : i32
// CHECK: arith.minsi {{.*}} : i32
// CHECK: arith.select {{.*}} : i32
// CHECK: arith.cmpi eq, {{.*}} : i32
// CHECK-NOT: i64
// CHECK: attn.yield
attn.kernel @ops dtype(f32) head_dim(8) value_dim(8) {
  attn.capture @doc : ui8["B", "KV"]
  attn.scalar @n : i16
  attn.mask(%b, %h, %q, %kv) {
    %seven = arith.constant 7 : i64
    %two = arith.constant 2 : i64
    %doc = attn.load @doc[%b, %q] : i64
    %n = attn.get @n : i64
    %div = attn.floordiv %doc, %seven : i64
    %mod = attn.floormod %div, %n : i64
    %shift = arith.shrsi %mod, %two : i64
    %least = arith.minsi %shift, %kv : i64
    %c = arith.cmpi ult, %q, %kv : i64
    %choice = arith.select %c, %least, %two : i64
    %m = arith.cmpi eq, %choice, %kv : i64
    attn.yield %m : i1
  }
}

// -----

// Order without sign holds in 32 bits only for numbers that are not negative, and a division needs operands that fit.
// CHECK-LABEL: attn.kernel @unsigned
// CHECK: arith.cmpi ult, {{.*}} : i64
// CHECK: attn.floordiv {{.*}} : i64
// CHECK: arith.cmpi sge, {{.*}} : i64
attn.kernel @unsigned dtype(f32) head_dim(8) value_dim(8) {
  attn.mask(%b, %h, %q, %kv) {
    %two = arith.constant 2 : i64
    %diff = arith.subi %q, %kv : i64
    %a = arith.cmpi ult, %diff, %q : i64
    %sum = arith.addi %q, %kv : i64
    %half = attn.floordiv %sum, %two : i64
    %c = arith.cmpi sge, %half, %q : i64
    %m = arith.andi %a, %c : i1
    attn.yield %m : i1
  }
}

// -----

// One load serves both widths.
// CHECK-LABEL: attn.kernel @both
// CHECK: %[[X:.*]] = attn.load @x[{{.*}} : i32] : i32
// CHECK: %[[WIDE:.*]] = arith.extsi %[[X]] : i32 to i64
// CHECK-NOT: attn.load
// CHECK: arith.muli %[[WIDE]], %[[WIDE]] : i64
// CHECK: arith.cmpi sge, %[[X]], {{.*}} : i32
attn.kernel @both dtype(f32) head_dim(8) value_dim(8) {
  attn.capture @x : i32["KV"]
  attn.mask(%b, %h, %q, %kv) {
    %x = attn.load @x[%kv] : i64
    %square = arith.muli %x, %x : i64
    %a = arith.cmpi sge, %square, %q : i64
    %c = arith.cmpi sge, %x, %q : i64
    %m = arith.andi %a, %c : i1
    attn.yield %m : i1
  }
}
