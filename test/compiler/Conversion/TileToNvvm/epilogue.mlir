// RUN: attn-opt %s -split-input-file --convert-attn-to-tile=shared-memory=12000 --convert-tile-to-nvvm --canonicalize --cse | FileCheck %s

// Without keys the output is 0 and the log-sum-exp -inf.
// CHECK-LABEL: llvm.func @bf16(
// CHECK:         scf.for
// CHECK:           llvm.store %cst{{.*}}, %{{.*}} {alignment = 2 : i64} : bf16, !llvm.ptr<1>
// CHECK:         scf.for
// CHECK:           llvm.store %cst{{.*}}, %{{.*}} {alignment = 4 : i64} : f32, !llvm.ptr<1>

// Sums are those of a quad; where a sum is 0, so is the output. Copies of queries may still be on their way.
// CHECK-COUNT-2: scf.yield {{.*}} : i32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
// CHECK:         nvvm.cp.async.wait.group 0
// CHECK-NEXT:    nvvm.barrier
// CHECK:         nvvm.shfl.sync bfly %{{.*}}, %[[SUM:.*]], %c1_i32
// CHECK:         nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %c2_i32
// CHECK:         %[[TOTAL:.*]] = arith.addf
// CHECK:         %[[EMPTY:.*]] = arith.cmpf oeq, %[[TOTAL]], %[[ZERO:.*]] :
// CHECK:         %[[QUOTIENT:.*]] = arith.divf %[[ONE:.*]], %[[TOTAL]]
// CHECK:         %[[INVERSE:.*]] = arith.select %[[EMPTY]], %[[ZERO]], %[[QUOTIENT]]

// The first lane of a quad stores scale * maximum + ln(sum), where the sum is of weights of which the largest is 1.
// CHECK:         scf.if
// CHECK:           %[[LARGEST:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
// CHECK:           %[[RELATIVE:.*]] = arith.divf %[[TOTAL]], %[[LARGEST]]
// CHECK:           %[[SUM_OF_ALL:.*]] = arith.select %{{.*}}, %[[ZERO]], %[[RELATIVE]]
// CHECK:           %[[LOG2:.*]] = llvm.call_intrinsic "llvm.nvvm.lg2.approx.ftz.f"(%[[SUM_OF_ALL]])
// CHECK:           %[[LOG:.*]] = arith.mulf %[[LOG2]], %{{.*}} :
// CHECK:           %[[LSE:.*]] = math.fma %{{.*}}, %{{.*}}, %[[LOG]]
// CHECK:           llvm.store %[[LSE]], %{{.*}} : f32, !llvm.ptr<1>

// Rounded pairs go to shared memory, where only the lanes of the warp read them, and from there 16 bytes at a time to the rows
// that there are: elements where rows are not aligned, and at their end.
// CHECK:         arith.mulf %{{.*}}, %[[INVERSE]]
// CHECK:         nvvm.convert.f32x2.to.bf16x2
// CHECK:         llvm.store %{{.*}} {alignment = 4 : i64} : i32, !llvm.ptr<3>
// CHECK-NOT:     nvvm.barrier
// CHECK:         nvvm.bar.warp.sync
// CHECK-NEXT:    %{{.*}} = arith.andi
// CHECK:         scf.for {{.*}} to %c16_i32 step %c4_i32
// CHECK:           %[[PRESENT:.*]] = arith.cmpi slt, %{{.*}}, %[[ROWS:.*]] :
// CHECK:           scf.if %[[PRESENT]]
// CHECK:             %[[FITS:.*]] = arith.cmpi sge, %[[LEFT:.*]], %c8_i32
// CHECK:             %[[WHOLE:.*]] = arith.andi %{{.*}}, %[[FITS]]
// CHECK:             scf.if %[[WHOLE]]
// CHECK:               llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
// CHECK:             } else {
// CHECK:               %[[COUNT:.*]] = arith.minsi %[[LEFT]], %c8_i32
// CHECK:               scf.for %{{.*}} = %c0_i32 to %[[COUNT]] step %c1_i32
// CHECK:                 llvm.store %{{.*}} {alignment = 2 : i64} : bf16, !llvm.ptr<1>
// CHECK:         llvm.return
attn.kernel @bf16 dtype(bf16) head_dim(16) value_dim(13) lse {
}

// -----

// Without a log-sum-exp there is no logarithm.
// CHECK-LABEL: llvm.func @no_lse(
// CHECK-NOT:   lg2.approx
attn.kernel @no_lse dtype(bf16) head_dim(16) value_dim(16) {
}
