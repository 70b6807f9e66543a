// RUN: attn-opt %s -split-input-file --convert-attn-to-tile=shared-memory=14000 --convert-tile-to-nvvm --canonicalize --cse | FileCheck %s

// Blocks that the keys end in, and rows that start anywhere, are copied by a function of the kernel that finds in shared memory where they are, in pieces of 16 bytes or
// element by element: what a tensor does not have is 0.
// CHECK-LABEL: llvm.func internal @attnc_copy_block_whole_panels(
// CHECK-SAME:    %[[FIRST:[a-z0-9]+]]: i32 {attnc.name = "first_key"}) attributes
// CHECK:         scf.for {{.*}} to %c64_i32 step %c32_i32
// CHECK:           %[[COLUMNS:.*]] = llvm.load {{.*}} : !llvm.ptr<3> -> i32
// CHECK:           %[[KEYS:.*]] = llvm.load {{.*}} : !llvm.ptr<3> -> i32
// CHECK:           %[[COUNT:.*]] = arith.subi %[[KEYS]], %[[FIRST]]
// CHECK:           scf.if %{{.*}} {
// CHECK:             %[[BYTES:.*]] = arith.muli %[[COLUMNS]], %c2_i32
// CHECK:             scf.for {{.*}} step %c64_i32
// CHECK:               %[[INSIDE:.*]] = arith.cmpi slt, %{{.*}}, %[[COUNT]]
// CHECK:               %[[LEFT:.*]] = arith.subi %[[BYTES]], %{{.*}}
// CHECK:               %[[PIECE:.*]] = arith.minsi %[[LEFT]], %c16_i32
// CHECK:               %[[MOST:.*]] = arith.maxsi %[[PIECE]], %c0_i32
// CHECK:               %[[READ:.*]] = arith.select %[[INSIDE]], %[[MOST]], %c0_i32
// CHECK:               nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg, %[[READ]] :
// CHECK:           } else {
// CHECK:           scf.for {{.*}} step %c64_i32
// CHECK:           %[[ROW:.*]] = arith.cmpi slt, %{{.*}}, %[[COUNT]]
// CHECK:           %[[COLUMN:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}}
// CHECK:           %[[PRESENT:.*]] = arith.andi %[[ROW]], %[[COLUMN]]
// CHECK:           %[[ELEMENT:.*]] = scf.if %[[PRESENT]] -> (i16) {
// CHECK:             llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> i16
// CHECK:           } else {
// CHECK-NEXT:        scf.yield %c0_i16
// CHECK:           llvm.store %[[ELEMENT]], %{{.*}} {alignment = 2 : i64} : i16, !llvm.ptr<3>
// CHECK:         nvvm.cp.async.commit.group
// CHECK-NEXT:    nvvm.cp.async.wait.group 0
// CHECK-NEXT:    nvvm.barrier

// Aligned rows are copied in chunks of 16 bytes. Of queries, row r by the threads 8 r to 8 r + 7, chunk c to place c ^ (r & 7). Rows
// that there are not are 0 too: of them no byte is copied. Other rows are copied on the spot.
// CHECK-LABEL: llvm.func @whole_panels(
// CHECK:         scf.if %[[ALIGNED_QUERIES:.*]] {
// CHECK:           %[[INSIDE:.*]] = arith.cmpi sgt, %{{.*}}, %c0_i32
// CHECK:           %[[BYTES:.*]] = arith.select %[[INSIDE]], %c16_i32, %c0_i32
// CHECK:           nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg, %[[BYTES]] :
// CHECK:         } else {
// CHECK:           scf.for {{.*}} step %c64_i32
// CHECK:         nvvm.cp.async.commit.group

// In the masked loop, one call copies both tiles where the block is not whole or rows are not aligned.
// CHECK:         nvvm.cp.async.wait.group 0
// CHECK-NEXT:    nvvm.barrier
// CHECK-NEXT:    %[[WHOLE:.*]] = arith.cmpi sle, %{{.*}}, %{{.*}} : i32
// CHECK-NEXT:    scf.if %[[WHOLE]] {
// CHECK:           nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>{{$}}
// CHECK:         } else {
// CHECK:           llvm.call @attnc_copy_block_whole_panels(
// CHECK-NEXT:    }

// A full block of keys is whole.
// CHECK:         nvvm.cp.async.wait.group 0
// CHECK:         nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>{{$}}
attn.kernel @whole_panels dtype(bf16) head_dim(64) value_dim(64) {
}

// -----

// A row of 80 bytes has five chunks of its panel; the other three are cleared.
// CHECK-LABEL: llvm.func @part_of_a_panel(
// CHECK:         %[[LEFT:.*]] = arith.subi %c80_i32, %{{.*}}
// CHECK:         %[[MOST:.*]] = arith.minsi %[[LEFT]], %c16_i32
// CHECK:         %[[CHUNK:.*]] = arith.maxsi %[[MOST]], %c0_i32
// CHECK:         %[[BYTES:.*]] = arith.select %{{.*}}, %[[CHUNK]], %c0_i32
// CHECK:         nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg, %[[BYTES]] :
attn.kernel @part_of_a_panel dtype(f16) head_dim(40) value_dim(40) {
}
