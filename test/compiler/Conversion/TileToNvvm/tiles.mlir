// RUN: attn-opt %s -split-input-file --convert-attn-to-tile=shared-memory=14000 --convert-tile-to-nvvm --canonicalize --cse | FileCheck %s

// Rows that start anywhere are copied element by element, by one function for all types of a size: what the tensor does
// not have is 0.
// CHECK-LABEL: llvm.func internal @attnc_copy_elements_b16_t64(
// CHECK-SAME:    %[[SOURCE:[a-z0-9]+]]: !llvm.ptr<1> {attnc.name = "source"}, %[[STRIDE:[a-z0-9]+]]: i64 {attnc.name = "stride"}, %[[COLUMNS:[a-z0-9]+]]: i32 {attnc.name = "columns"},
// CHECK-SAME:    %[[COUNT:[a-z0-9]+]]: i32 {attnc.name = "count"}, %[[ROWS:[a-z0-9]+]]: i32 {attnc.name = "rows"}, %[[TARGET:[a-z0-9]+]]: !llvm.ptr<3> {attnc.name = "target"})
// CHECK:         scf.for {{.*}} step %c64_i32
// CHECK-DAG:       %[[COLUMN:.*]] = arith.cmpi slt, %{{.*}}, %[[COLUMNS]]
// CHECK-DAG:       %[[ROW:.*]] = arith.cmpi slt, %{{.*}}, %[[COUNT]]
// CHECK:           %[[PRESENT:.*]] = arith.andi %[[ROW]], %[[COLUMN]]
// CHECK:           %[[ELEMENT:.*]] = scf.if %[[PRESENT]] -> (i16) {
// CHECK:             llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> i16
// CHECK:           } else {
// CHECK-NEXT:        scf.yield %c0_i16
// CHECK:           llvm.store %[[ELEMENT]], %{{.*}} {alignment = 2 : i64} : i16, !llvm.ptr<3>

// Aligned rows are copied in chunks of 16 bytes: row r by the threads 8 r to 8 r + 7, chunk c to place c ^ (r & 7). Rows
// that there are not are 0 too: of them no byte is copied.
// CHECK-LABEL: llvm.func @whole_panels(
// CHECK:         scf.if
// CHECK:         scf.if
// CHECK-DAG:       %[[ROW:.*]] = arith.shrui %[[THREAD:.*]], %c3_i32
// CHECK-DAG:       %[[LOW:.*]] = arith.andi %[[ROW]], %c7_i32
// CHECK-DAG:       %[[SWIZZLE:.*]] = arith.shli %[[LOW]], %c4_i32
// CHECK-DAG:       %[[PLACE:.*]] = arith.shli %[[THREAD]], %c4_i32
// CHECK:           %[[SWIZZLED:.*]] = arith.xori %[[PLACE]], %[[SWIZZLE]]
// CHECK:           %[[TARGET:.*]] = llvm.getelementptr %{{.*}}[%[[SWIZZLED]]]
// CHECK:           %[[INSIDE:.*]] = arith.cmpi slt, %[[ROW]], %{{.*}}
// CHECK:           %[[BYTES:.*]] = arith.select %[[INSIDE]], %c16_i32, %c0_i32
// CHECK:           nvvm.cp.async.shared.global %[[TARGET]], %{{.*}}, 16, cache = cg, %[[BYTES]] :
// CHECK:         } else {
// CHECK:           llvm.call @attnc_copy_elements_b16_t64({{.*}}, %c64_i32, %{{.*}}, %c32_i32, %{{.*}})
// CHECK-NEXT:    }
// CHECK-NEXT:    nvvm.cp.async.commit.group

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

// -----

// Kernels whose elements have one size share the function.
// CHECK:     llvm.func internal @attnc_copy_elements_b32_t64(
// CHECK:     llvm.func internal @attnc_copy_elements_b16_t64(
// CHECK-NOT: llvm.func internal
attn.kernel @bf16 dtype(bf16) head_dim(16) value_dim(16) {
}
attn.kernel @f16 dtype(f16) head_dim(16) value_dim(16) {
}
attn.kernel @f32 dtype(f32) head_dim(16) value_dim(16) {
}
