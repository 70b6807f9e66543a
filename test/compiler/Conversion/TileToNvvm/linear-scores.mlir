// RUN: attn-opt %s -split-input-file --convert-attn-to-tile=shared-memory=14000 --convert-tile-to-nvvm --canonicalize --cse | FileCheck %s

// A slope times the distance of query and key: scores get the slope, which is in shared memory, times constants. The first key of a lane has none. What it gets is added to the largest score of the lane, and subtracted from what weights are relative to.
// CHECK-LABEL: llvm.func @slopes(
// CHECK:         %[[SCALED:.*]] = arith.mulf %{{.*}}, %cst{{.*}} : f32
// CHECK:         llvm.store %[[SCALED]], %{{.*}} {alignment = 4 : i64} : f32, !llvm.ptr<3>
// CHECK:         scf.while
// CHECK:         %[[P0:.*]] = llvm.extractvalue %{{.*}}[0]
// CHECK:         %[[P1:.*]] = llvm.extractvalue %{{.*}}[1]
// CHECK:         nvvm.barrier
// CHECK:         %[[SLOPE:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> f32
// CHECK-NOT:     math.fma %[[SLOPE]], %{{.*}}, %[[P0]]
// CHECK:         %[[S1:.*]] = math.fma %[[SLOPE]], %cst{{.*}}, %{{.*}} : f32
// CHECK:         %[[DISTANCE:.*]] = arith.sitofp
// CHECK:         %[[SHIFT:.*]] = arith.mulf %{{.*}}, %[[DISTANCE]]
// CHECK:         %[[LARGEST:.*]] = arith.addf %{{.*}}, %[[SHIFT]]
// CHECK:         nvvm.shfl.sync bfly %{{.*}}, %[[LARGEST]],
// CHECK:         %[[MAXIMUM:.*]] = arith.maxnumf
// CHECK:         %[[RELATIVE:.*]] = arith.subf %{{.*}}, %[[SHIFT]]
// CHECK:         llvm.call_intrinsic "llvm.nvvm.mul.rp.f"(%[[RELATIVE]],
// CHECK-NOT:     arith.sitofp
// CHECK:         scf.yield

// Rows of a slope that is too large for sums, or not a number, are computed once more.
// CHECK:         arith.cmpf uge, %{{.*}}, %cst{{.*}} : f32
attn.kernel @slopes dtype(bf16) head_dim(16) value_dim(16) scale(0.25) {
  attn.capture @slopes : f32["Hq"]
  attn.score(%s, %b, %h, %q, %kv) {
    %slope = attn.load @slopes[clamp %h : i64] : f32
    %q32 = arith.trunci %q : i64 to i32
    %kv32 = arith.trunci %kv : i64 to i32
    %distance = arith.subi %q32, %kv32 : i32
    %f = arith.sitofp %distance : i32 to f32
    %bias = arith.mulf %slope, %f : f32
    %r = arith.subf %s, %bias : f32
    attn.yield %r : f32
  }
}

// -----

// A slope of each query is not one of a head, and neither is a distance that may wrap around a line.
// CHECK-LABEL: llvm.func @queries(
// CHECK-NOT:     arith.cmpf uge
// CHECK:         llvm.return
attn.kernel @queries dtype(bf16) head_dim(16) value_dim(16) {
  attn.capture @slopes : f32["Q"]
  attn.score(%s, %b, %h, %q, %kv) {
    %slope = attn.load @slopes[clamp %q : i64] : f32
    %q32 = arith.trunci %q : i64 to i32
    %kv32 = arith.trunci %kv : i64 to i32
    %distance = arith.subi %q32, %kv32 : i32
    %f = arith.sitofp %distance : i32 to f32
    %bias = arith.mulf %slope, %f : f32
    %r = arith.subf %s, %bias : f32
    attn.yield %r : f32
  }
}

// -----

// CHECK-LABEL: llvm.func @wide_integers(
// CHECK-NOT:     arith.cmpf uge
// CHECK:         llvm.return
attn.kernel @wide_integers dtype(bf16) head_dim(16) value_dim(16) {
  attn.score(%s, %b, %h, %q, %kv) {
    %slope = arith.constant 0.5 : f32
    %distance = arith.subi %q, %kv : i64
    %f = arith.sitofp %distance : i64 to f32
    %bias = arith.mulf %slope, %f : f32
    %r = arith.addf %s, %bias : f32
    attn.yield %r : f32
  }
}
