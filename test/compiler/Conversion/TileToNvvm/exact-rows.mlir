// RUN: attn-opt %s -split-input-file --convert-attn-to-tile=shared-memory=12000 --convert-tile-to-nvvm --canonicalize --cse | FileCheck %s

// A warp that has a row whose output is not finite, or whose scores are very large, computes such rows again, one at a time.
// CHECK-LABEL: llvm.func @masked(
// CHECK-COUNT-2: %[[NOT_FINITE:.*]] = arith.cmpf une, %{{.*}}, %{{.*}} : f32
// CHECK:         %[[MAGNITUDE:.*]] = math.absf
// CHECK:         %[[LARGE:.*]] = arith.cmpf oge, %[[MAGNITUDE]], %{{.*}} : f32
// CHECK:         %[[SOME:.*]] = arith.cmpf une, %{{.*}}, %{{.*}} : f32
// CHECK:         %[[BOTH:.*]] = arith.andi %[[LARGE]], %[[SOME]]
// CHECK:         %[[B:.*]] = arith.ori %{{.*}}, %[[BOTH]]
// CHECK:         %[[EITHER:.*]] = arith.ori %{{.*}}, %[[B]]
// CHECK:         %[[ANY:.*]] = nvvm.vote.sync any %{{.*}}, %[[EITHER]] -> i1
// CHECK-NEXT:    scf.if %[[ANY]] {
// CHECK:           nvvm.bar.warp.sync
// CHECK:           scf.for
// CHECK:             %[[FLAG:.*]] = llvm.load {{.*}} : !llvm.ptr<3> -> i32
// CHECK:             %[[IS:.*]] = arith.cmpi sgt, %[[FLAG]], %c0_i32
// CHECK:             scf.if %[[IS]]

// Each lane has one of 20 columns of q and k, or none; their products are added over the warp.
// CHECK:               %[[Q:.*]] = scf.if %[[HAS_COLUMN:.*]] -> (f32)
// CHECK:               %[[SUMS:.*]]:3 = scf.for {{.*}} iter_args(%[[BEFORE:.*]] = %{{.*}}, %[[WEIGHTS:.*]] = %{{.*}}, %[[MAXIMUM:.*]] = %{{.*}}) -> (f32, f32, f32)
// CHECK:                 %[[K:.*]] = scf.if %[[HAS_COLUMN]] -> (f32)
// CHECK:                 math.fma %[[Q]], %[[K]],
// CHECK-COUNT-5:         nvvm.shfl.sync bfly
// CHECK:                 %[[SCORE:.*]] = arith.addf
// CHECK:                 %[[FINITE:.*]] = arith.cmpf une, %[[SCORE]],
// CHECK:                 %[[KEEP:.*]] = arith.cmpi eq,
// CHECK:                 %[[TAKEN:.*]] = arith.andi %[[FINITE]], %[[KEEP]]

// Values are read where the pair takes part, and only there. Sums follow the maximum; the output is divided by the sum of the same weights.
// CHECK-NOT:             llvm.load
// CHECK:                 %[[AFTER:.*]]:3 = scf.if %[[TAKEN]] -> (f32, f32, f32) {
// CHECK:                   %[[NEW:.*]] = arith.maxnumf %[[MAXIMUM]], %[[SCORE]]
// CHECK:                   %[[CHANGE:.*]] = arith.subf %[[MAXIMUM]], %[[NEW]]
// CHECK:                   %[[FACTOR:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
// CHECK:                   %[[DISTANCE:.*]] = arith.subf %[[SCORE]], %[[NEW]]
// CHECK:                   %[[WEIGHT:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
// CHECK:                   llvm.load %{{.*}} : !llvm.ptr<1> -> bf16
// CHECK:                   %[[SCALED:.*]] = arith.mulf %[[BEFORE]], %[[FACTOR]]
// CHECK:                   math.fma %[[WEIGHT]], %{{.*}}, %[[SCALED]]
// CHECK:                   math.fma %[[WEIGHTS]], %[[FACTOR]], %[[WEIGHT]]
// CHECK:                 } else {
// CHECK-NEXT:              scf.yield %[[BEFORE]], %[[WEIGHTS]], %[[MAXIMUM]]
// CHECK:                 scf.yield %[[AFTER]]#0, %[[AFTER]]#1, %[[AFTER]]#2
// CHECK:               %[[QUOTIENT:.*]] = arith.divf %{{.*}}, %[[SUMS]]#1
// CHECK:               %[[INVERSE:.*]] = arith.select %{{.*}}, %{{.*}}, %[[QUOTIENT]]
// CHECK:               %[[O:.*]] = arith.mulf %[[SUMS]]#0, %[[INVERSE]]
// CHECK:               %[[ROUNDED:.*]] = arith.truncf %[[O]] : f32 to bf16
// CHECK:               llvm.store %[[ROUNDED]], %{{.*}} : bf16, !llvm.ptr<1>
attn.kernel @masked dtype(bf16) head_dim(20) value_dim(20) {
  attn.mask(%b, %h, %q, %kv) {
    %and = arith.andi %q, %kv : i64
    %r = arith.cmpi eq, %and, %q : i64
    attn.yield %r : i1
  }
}
