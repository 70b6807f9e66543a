// RUN: attn-opt %s -split-input-file --convert-attn-to-tile=shared-memory=14000 --convert-tile-to-nvvm --canonicalize --cse | FileCheck %s

// Keys and values whose rows start anywhere are copied element by element, by a function of the kernel that finds in shared memory where they are: what a tensor does
// not have is 0.
// CHECK-LABEL: llvm.func internal @attnc_copy_block_whole_panels(
// CHECK-SAME:    %[[FIRST:[a-z0-9]+]]: i32 {attnc.name = "first_key"}, %[[COUNT:[a-z0-9]+]]: i32 {attnc.name = "count"})
// CHECK:         scf.for {{.*}} to %c48_i32 step %c24_i32
// CHECK:           %[[COLUMNS:.*]] = llvm.load {{.*}} : !llvm.ptr<3> -> i32
// CHECK:           scf.for {{.*}} step %c64_i32
// CHECK-DAG:       %[[COLUMN:.*]] = arith.cmpi slt, %{{.*}}, %[[COLUMNS]]
// CHECK-DAG:       %[[ROW:.*]] = arith.cmpi slt, %{{.*}}, %[[COUNT]]
// CHECK:           %[[PRESENT:.*]] = arith.andi %[[ROW]], %[[COLUMN]]
// CHECK:           %[[ELEMENT:.*]] = scf.if %[[PRESENT]] -> (i16) {
// CHECK:             llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> i16
// CHECK:           } else {
// CHECK-NEXT:        scf.yield %c0_i16
// CHECK:           llvm.store %[[ELEMENT]], %{{.*}} {alignment = 2 : i64} : i16, !llvm.ptr<3>

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

// In the masked loop, one call copies both tiles where rows are not aligned.
// CHECK:         nvvm.cp.async.wait.group 0
// CHECK-NEXT:    nvvm.barrier
// CHECK-NEXT:    scf.if %[[ALIGNED:.*]] {
// CHECK:           nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg, %{{.*}} :
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
