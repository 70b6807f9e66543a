// RUN: attn-opt %s -split-input-file --convert-attn-to-tile=shared-memory=14000 --convert-tile-to-nvvm --canonicalize --cse | FileCheck %s

// A lane has two rows of q and four keys of a block of 16. Each turn takes a chunk of four columns: the rows are read once,
// then a key after another.
// CHECK-LABEL:   llvm.func @f32(
// CHECK:         nvvm.barrier
// CHECK:         scf.for {{.*}} to %c2_i32 step %c1_i32 iter_args({{.*}}) -> (f32, f32, f32, f32, f32, f32, f32, f32)
// CHECK-COUNT-2:   llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK:           llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-COUNT-8:   math.fma
// CHECK-NOT:       math.fma
// CHECK:           llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-COUNT-24:  math.fma
// CHECK-NOT:       math.fma
// CHECK:           scf.yield

// The weights of the two rows go through shared memory, two neighbouring keys at a time. Only the lanes of the warp read
// them.
// CHECK-COUNT-4: llvm.store %{{.*}}, %{{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<3>
// CHECK-NOT:     vector<2xf32>, !llvm.ptr<3>
// CHECK-NOT:     nvvm.barrier
// CHECK:         nvvm.bar.warp.sync

// The output is scaled, and then each turn adds four keys: two rows by four columns of v.
// CHECK-COUNT-8: arith.mulf
// CHECK:         scf.for {{.*}} to %c4_i32 step %c1_i32 iter_args({{.*}}) -> (f32, f32, f32, f32, f32, f32, f32, f32)
// CHECK-COUNT-2:   llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-COUNT-32:  math.fma
// CHECK-NOT:       math.fma
// CHECK:           scf.yield
// CHECK-NOT:     nvvm.mma.sync
attn.kernel @f32 dtype(f32) head_dim(6) value_dim(16) {
}
