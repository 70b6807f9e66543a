// RUN: attn-opt %s -split-input-file --convert-attn-to-tile=shared-memory=166912 --convert-tile-to-nvvm --canonicalize --cse | FileCheck %s
// RUN: attn-opt %s -split-input-file --convert-attn-to-tile="shared-memory=166912 tile=64x64" --convert-tile-to-nvvm --canonicalize --cse | FileCheck %s --check-prefix=ROOM

// Where scores and output take most registers, maxima and sums are in shared memory from block to block: four of each a thread, of which no loop carries any.
// CHECK-LABEL: llvm.func @tight(
// CHECK:         llvm.store %[[LOWEST:.*]], %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
// CHECK:         llvm.store %[[ZEROS:.*]], %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
// CHECK:         %{{.*}}:129 = scf.while
// CHECK:           nvvm.mma.sync
// CHECK:           nvvm.barrier
// CHECK:           %[[MAXIMA:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK:           %[[FIRST:.*]] = llvm.extractelement %[[MAXIMA]][%c0_i32 : i32]
// CHECK:           %[[SUMS:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK:           %[[MAXIMUM:.*]] = arith.maxnumf %[[FIRST]], %{{.*}} : f32
// CHECK:           llvm.insertelement %[[MAXIMUM]], %{{.*}}[%c0_i32 : i32]
// CHECK:           llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
// CHECK:           llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
// CHECK:           scf.yield
attn.kernel @tight dtype(bf16) head_dim(128) value_dim(128) {
}

// -----

// Products in f32 have shared memory to save, and smaller tiles: their loops carry them.
// CHECK-LABEL: llvm.func @carried(
// CHECK:         %{{.*}}:137 = scf.while
attn.kernel @carried dtype(f32) head_dim(128) value_dim(128) {
}

// -----

// Threads look up where they read and write in the loops.
// CHECK-LABEL: llvm.func @wide(
// CHECK:         scf.while
// CHECK:           nvvm.barrier
// CHECK:           llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xi32>
// CHECK:           nvvm.ldmatrix

// A tile that leaves no shared memory for that has neither: all is computed in each step, and carried.
// ROOM-LABEL: llvm.func @wide(
// ROOM:         %{{.*}} = scf.while
// ROOM-NOT:     {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xi32>
// ROOM:         llvm.return
attn.kernel @wide dtype(bf16) head_dim(256) value_dim(256) {
}
