// RUN: attn-opt %s -split-input-file --convert-attn-to-tile="shared-memory=50000 short-grids=true" --convert-tile-to-nvvm --canonicalize --cse | FileCheck %s

// In short grids a second parameter has the workspace and the number of splits. Every splits-th block of keys is copied while the one
// before is used, by one barrier a block, in one loop; warps without rows only copy.
// CHECK-LABEL: llvm.func @packed_short(
// CHECK-SAME:    llvm.byval = !llvm.array<3 x i64>
// CHECK-SAME:    attnc.entry_of = "packed", attnc.packs_heads
// CHECK:         %[[GROUP:.*]] = arith.divui
// CHECK:         scf.for {{.*}} iter_args
// CHECK-NEXT:      nvvm.cp.async.wait.group 0
// CHECK-NEXT:      nvvm.barrier
// CHECK:           nvvm.cp.async.commit.group
// CHECK:           nvvm.cp.async.commit.group
// CHECK-NOT:       nvvm.barrier
// CHECK:           scf.if {{.*}} -> (f32, f32
// CHECK:             nvvm.mma.sync
// CHECK:             maxnumf
// CHECK:             nvvm.mma.sync

// A warp finishes its rows one after the other; those of a split go to the workspace in f32.
// CHECK:         nvvm.bar.warp.sync
// CHECK:         scf.for
// CHECK:           nvvm.vote.sync any
// CHECK:           scf.if
// CHECK:             llvm.store {{.*}} : f32, !llvm.ptr<1>
// CHECK:           } else {
// CHECK:             llvm.store {{.*}} : bf16, !llvm.ptr<1>

// The combine entry takes the largest score of all splits, and adds their rows, times exp(score - largest).
// CHECK-LABEL: llvm.func @packed_combine(
// CHECK-SAME:    attnc.entry_of = "packed"
// CHECK:         scf.for
// CHECK:           arith.maxnumf
// CHECK:         nvvm.shfl.sync bfly
// CHECK:         scf.for {{.*}} step %c4_i32
// CHECK:           arith.subf
// CHECK:           llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
// CHECK:           math.fma
// CHECK:         nvvm.barrier
// CHECK:         llvm.store {{.*}} : bf16, !llvm.ptr<1>
attn.kernel @packed dtype(bf16) head_dim(16) value_dim(16) lse {
}

// -----

// A mask that uses the head keeps heads apart.
// CHECK-LABEL: llvm.func @apart_short(
// CHECK-NOT:     attnc.packs_heads
// CHECK-LABEL: llvm.func @apart_combine(
attn.kernel @apart dtype(f32) head_dim(16) value_dim(16) {
  attn.mask(%b, %h, %q, %kv) {
    %0 = arith.addi %q, %h : i64
    %1 = arith.cmpi sge, %0, %kv : i64
    attn.yield %1 : i1
  }
}
