// RUN: attn-opt %s -split-input-file --convert-attn-to-tile=shared-memory=12000 --convert-tile-to-nvvm --canonicalize --cse | FileCheck %s

// Keys come first from the blocks that are masked, then from the full ones; the keys of the next block are copied while
// a block's scores become weights, and its values while its scores are computed. All threads wait twice a block.
// CHECK-LABEL: llvm.func @plain(
// CHECK:         %[[MASKED:.*]]:13 = scf.while (%[[PLACE:[a-z0-9]*]] = %{{.*}}, %{{.*}} = %{{.*}}
// CHECK:           %[[INSIDE:.*]] = arith.cmpi ult, %[[PLACE]], %[[END:.*]] :
// CHECK:           scf.condition(%[[INSIDE]])
// CHECK:         ^bb0(%[[KEY:[^:]*]]: i32,
// CHECK:           nvvm.cp.async.wait.group 0
// CHECK-NEXT:      nvvm.barrier
// CHECK:           nvvm.cp.async.commit.group
// CHECK:           nvvm.mma.sync
// CHECK:           nvvm.cp.async.wait.group 0
// CHECK-NEXT:      nvvm.barrier
// CHECK:           %[[NEXT:.*]] = arith.addi %[[KEY]], %c16_i32
// CHECK:           arith.cmpi slt, %[[NEXT]], %[[END]]
// CHECK:           nvvm.cp.async.commit.group
// CHECK:           maxnumf
// CHECK-NOT:       nvvm.barrier
// CHECK:           scf.yield %[[NEXT]], {{.*}} : i32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
// CHECK:         scf.while (%[[PLACE:[a-z0-9]*]] = %{{.*}}, %{{.*}} = %[[MASKED]]#1, %{{.*}} = %[[MASKED]]#2,
// CHECK:           arith.cmpi ult, %[[PLACE]], %{{.*}}
// CHECK:           nvvm.barrier
// CHECK-NOT:       llvm.call
// CHECK:           nvvm.barrier
// CHECK:           scf.yield {{.*}} : i32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
// CHECK-NOT:     nvvm.vote.sync ballot
attn.kernel @plain dtype(bf16) head_dim(16) value_dim(16) {
}

// -----

// Where ranges of keys do not tell, each thread asks for a block of keys whether pairs may and whether they must take part.
// Rounds of blocks without any are passed over. Warps count their blocks, and each thread puts its one on a list, behind those of
// threads before it. Then come the loops as above, until all blocks were asked for.
// CHECK-LABEL: llvm.func @documents(
// CHECK:         scf.while
// CHECK:           %[[ROUND:.*]] = scf.while
// CHECK:             arith.addi %{{.*}}, %c64_i32
// CHECK:           scf.condition
// CHECK:           nvvm.barrier
// CHECK:           %[[KIND:.*]]:2 = scf.if %{{.*}} -> (i32, i32)
// CHECK:             llvm.load %{{.*}} : !llvm.ptr<1> -> i64
// CHECK:           %[[MUST:.*]] = arith.cmpi eq, %[[KIND]]#1, %c1_i32
// CHECK:           %[[FULL:.*]] = arith.ori
// CHECK:           %[[PARTIAL_BITS:.*]] = arith.select %[[FULL]], %c0_i32, %[[KIND]]#0
// CHECK:           %[[FULL_BALLOT:.*]] = nvvm.vote.sync ballot %{{.*}}, %[[FULL]] -> i32
// CHECK:           %[[BIT:.*]] = arith.andi %[[PARTIAL_BITS]], %c1_i32
// CHECK:           %[[PARTIAL:.*]] = arith.cmpi sgt, %[[BIT]], %c0_i32
// CHECK:           nvvm.vote.sync ballot %{{.*}}, %[[PARTIAL]] -> i32
// CHECK:           nvvm.barrier
// CHECK:           %[[BEFORE:.*]] = arith.andi %[[FULL_BALLOT]],
// CHECK:           math.ctpop %[[BEFORE]]
// CHECK:           scf.if %[[FULL]]
// CHECK:             llvm.store %{{.*}} : i32, !llvm.ptr<3>
// CHECK:           scf.if %[[PARTIAL]]
// CHECK:             llvm.store %{{.*}} : i32, !llvm.ptr<3>
// CHECK:           nvvm.barrier
// CHECK:           scf.while
// CHECK:             nvvm.mma.sync
// CHECK:           scf.while
// CHECK:             nvvm.mma.sync
attn.kernel @documents dtype(bf16) head_dim(16) value_dim(16) {
  attn.capture @d : i32["max_len"]
  attn.mask(%b, %h, %q, %kv) {
    %row = attn.load @d[clamp %q : i64] : i32
    %column = attn.load @d[clamp %kv : i64] : i32
    %same = arith.cmpi eq, %row, %column : i32
    attn.yield %same : i1
  }
}

// -----

// A window has masked blocks on both sides of the full ones, which are skipped.
// CHECK-LABEL: llvm.func @window(
// CHECK:         nvvm.mma.sync
// CHECK:         %[[BEHIND:.*]] = arith.addi %{{.*}}, %c16_i32
// CHECK:         %[[IS_FULL:.*]] = arith.cmpi eq, %[[BEHIND]], %[[FULL_BEGIN:.*]] :
// CHECK:         %[[NEXT:.*]] = arith.select %[[IS_FULL]], %[[FULL_END:.*]], %[[BEHIND]]
// CHECK:         arith.cmpi slt, %[[NEXT]], %{{.*}}
// CHECK:         scf.while (%{{.*}} = %[[FULL_BEGIN]],
attn.kernel @window dtype(bf16) head_dim(16) value_dim(16) {
  attn.mask(%b, %h, %q, %kv) {
    %n = arith.constant 70 : i64
    %distance = arith.subi %q, %kv : i64
    %near = arith.cmpi slt, %distance, %n : i64
    %causal = arith.cmpi sge, %q, %kv : i64
    %both = arith.andi %near, %causal : i1
    attn.yield %both : i1
  }
}
