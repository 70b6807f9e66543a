// RUN: attn-opt %s -split-input-file --convert-attn-to-tile=shared-memory=14000 --convert-tile-to-nvvm --canonicalize --cse | FileCheck %s

// Conjuncts for which the keys of a query are a range are not evaluated for each pair. Before the loops, a thread computes the range of one query, and stores it for each
// lane of the quad that owns the row, relative to the lane's first key. There is no begin where ranges begin at 0.
// CHECK-LABEL: llvm.func @causal(
// CHECK:         scf.for {{.*}} to %c32_i32 step %c64_i32
// CHECK:           %[[END:.*]] = arith.trunci %{{.*}} : i64 to i32
// CHECK:           llvm.store %[[END]], %{{.*}} {alignment = 4 : i64} : i32, !llvm.ptr<3>
// CHECK:           %[[SECOND:.*]] = arith.addi %[[END]], %c-4_i32
// CHECK:           llvm.store %[[SECOND]],
// CHECK:           %[[THIRD:.*]] = arith.addi %[[END]], %c-8_i32
// CHECK:           llvm.store %[[THIRD]],
// CHECK:           %[[FOURTH:.*]] = arith.addi %[[END]], %c-12_i32
// CHECK:           llvm.store %[[FOURTH]],
// CHECK-NOT:       llvm.store
// CHECK:         nvvm.mma.sync

// In the masked loop a row's range is a run of bits.
// CHECK:         nvvm.barrier
// CHECK:         %[[PLACE:.*]] = arith.muli %{{.*}}, %c8_i32
// CHECK:         %[[ENDS:.*]] = llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xi32>
// CHECK:         %[[FIRST:.*]] = llvm.extractelement %[[ENDS]][%c0_i32 : i32]
// CHECK:         %[[RELATIVE:.*]] = arith.subi %[[FIRST]], %{{.*}}
// CHECK:         %[[COUNT:.*]] = arith.maxsi %[[RELATIVE]], %c0_i32
// CHECK:         llvm.inline_asm "bmsk.clamp.b32 $0, $1, $2;", "=r,r,r" %c0_i32, %[[COUNT]] :
attn.kernel @causal dtype(bf16) head_dim(16) value_dim(16) {
  attn.mask(%b, %h, %q, %kv) {
    %r = arith.cmpi sge, %q, %kv : i64
    attn.yield %r : i1
  }
}

// -----

// A window has begins, too. In f32 a lane's keys are pairs, which are compared one by one.
// CHECK-LABEL: llvm.func @window(
// CHECK:         %[[BEGINS:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> vector<2xi32>
// CHECK:         %[[ENDS:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> vector<2xi32>
// CHECK:         %[[BEFORE:.*]] = arith.cmpi sgt, %[[END:.*]], %c0_i32
// CHECK:         %[[FROM:.*]] = arith.cmpi sle, %[[BEGIN:.*]], %c0_i32
// CHECK:         %[[INSIDE:.*]] = arith.andi %[[FROM]], %[[BEFORE]]
// CHECK:         arith.select %[[INSIDE]], %{{.*}}, %{{.*}} : f32
attn.kernel @window dtype(f32) head_dim(16) value_dim(16) {
  attn.mask(%b, %h, %q, %kv) {
    %c100 = arith.constant 100 : i64
    %d = arith.subi %q, %kv : i64
    %near = arith.cmpi slt, %d, %c100 : i64
    %before = arith.cmpi sge, %q, %kv : i64
    %r = arith.andi %near, %before : i1
    attn.yield %r : i1
  }
}

// -----

// Other conjuncts stay, and a comparison with the end of the range joins them. Where a range may not be known, for numbers that might wrap around, the row takes no part and is computed once more.
// CHECK-LABEL: llvm.func @offset(
// CHECK:         scf.for {{.*}} to %c32_i32 step %c64_i32
// CHECK:           %[[KNOWN:.*]] = arith.andi %{{.*}}, %{{.*}} : i1
// CHECK:           %[[END:.*]] = arith.select %[[KNOWN]], %{{.*}}, %c0_i32 : i32
// CHECK:           %[[UNKNOWN:.*]] = arith.xori %[[KNOWN]], %true
// CHECK:           %[[AGAIN:.*]] = arith.extui %[[UNKNOWN]] : i1 to i32
// CHECK:           llvm.store %[[AGAIN]],
// CHECK:         nvvm.mma.sync
// CHECK-NOT:     bmsk
// CHECK:         %[[OTHER:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : i32
// CHECK:         %[[INSIDE:.*]] = arith.cmpi sgt, %{{.*}}, %c0_i32
// CHECK:         llvm.inline_asm "and.pred $0, $1, $2;", "=b,b,b" %[[INSIDE]], %[[OTHER]] :
attn.kernel @offset dtype(bf16) head_dim(16) value_dim(16) {
  attn.scalar @shift : i64
  attn.mask(%b, %h, %q, %kv) {
    %shift = attn.get @shift : i64
    %sum = arith.addi %q, %shift : i64
    %before = arith.cmpi sge, %sum, %kv : i64
    %and = arith.andi %q, %kv : i64
    %other = arith.cmpi eq, %and, %q : i64
    %r = arith.andi %before, %other : i1
    attn.yield %r : i1
  }
}
