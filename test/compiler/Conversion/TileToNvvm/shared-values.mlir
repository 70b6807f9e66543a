// RUN: attn-opt %s -split-input-file --convert-attn-to-tile=shared-memory=14000 --convert-tile-to-nvvm --canonicalize --cse | FileCheck %s

// What the mask needs of a query alone is stored before the loops, one query a thread. In the masked loop each thread reads the id of one key before the products and stores it behind them;
// then a lane reads those of its four keys, and of its two rows, at once. Nothing else reads the table.
// CHECK-LABEL: llvm.func @ids(
// CHECK:         scf.for {{.*}} to %c32_i32 step %c64_i32
// CHECK:           %[[ROW_ID:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> i32
// CHECK:           llvm.store %[[ROW_ID]], %{{.*}} {alignment = 4 : i64} : i32, !llvm.ptr<3>
// CHECK:         scf.while
// CHECK:           nvvm.barrier
// CHECK:           %[[KEY_ID:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> i32
// CHECK:           nvvm.mma.sync
// CHECK:           scf.if
// CHECK:             llvm.store %[[KEY_ID]], %{{.*}} {alignment = 4 : i64} : i32, !llvm.ptr<3>
// CHECK:           nvvm.barrier
// CHECK-NOT:       llvm.load %{{.*}} : !llvm.ptr<1> -> i32
// CHECK:           llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xi32>
// CHECK:           llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK-NOT:       llvm.load %{{.*}} : !llvm.ptr<1> -> i32
// CHECK:           scf.yield
attn.kernel @ids dtype(bf16) head_dim(16) value_dim(16) {
  attn.capture @d : i32["max_len"]
  attn.mask(%b, %h, %q, %kv) {
    %row = attn.load @d[clamp %q : i64] : i32
    %column = attn.load @d[clamp %kv : i64] : i32
    %same = arith.cmpi eq, %row, %column : i32
    attn.yield %same : i1
  }
}

// -----

// A condition that needs no query becomes a bit a key, which joins those of the rows' ranges.
// CHECK-LABEL: llvm.func @columns(
// CHECK:         scf.while
// CHECK:           nvvm.barrier
// CHECK:           %[[KEEP:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> i32
// CHECK:           %[[KEPT:.*]] = arith.cmpi sgt, %[[KEEP]], %c0_i32
// CHECK:           %[[BALLOT:.*]] = nvvm.vote.sync ballot %{{.*}}, %[[KEPT]] -> i32
// CHECK:           nvvm.mma.sync
// CHECK:           llvm.store %[[BALLOT]],
// CHECK:           nvvm.barrier
// CHECK:           %[[RANGE:.*]] = llvm.inline_asm "bmsk.clamp.b32
// CHECK:           %[[WORD:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> i32
// CHECK:           %[[OF_LANE:.*]] = arith.shrui %[[WORD]], %{{.*}} : i32
// CHECK:           arith.andi %[[RANGE]], %[[OF_LANE]]
attn.kernel @columns dtype(bf16) head_dim(16) value_dim(16) {
  attn.capture @keep : i32["max_len"]
  attn.mask(%b, %h, %q, %kv) {
    %c0 = arith.constant 0 : i32
    %keep = attn.load @keep[clamp %kv : i64] : i32
    %r = arith.cmpi sgt, %keep, %c0 : i32
    attn.yield %r : i1
  }
}

// -----

// In f32 a lane's keys are pairs, and the conditions words that it compares bit by bit. Values of a score body are shared in both loops; sums of the key are not, and neither is what takes 64 bits.
// CHECK-LABEL: llvm.func @scores(
// CHECK:         scf.while
// CHECK:           %[[BIAS:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> f32
// CHECK:           llvm.store %[[BIAS]],
// CHECK:           llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xf32>
// CHECK:           scf.yield
// CHECK:         scf.while
// CHECK:           %[[BIAS:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> f32
// CHECK:           llvm.store %[[BIAS]],
// CHECK:           llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xf32>
// CHECK-NOT:       llvm.load %{{.*}} : !llvm.ptr<1> -> f32
// CHECK:           scf.yield
attn.kernel @scores dtype(f32) head_dim(16) value_dim(16) {
  attn.capture @bias : f32["max_len"]
  attn.score(%s, %b, %h, %q, %kv) {
    %c1 = arith.constant 1 : i64
    %next = arith.addi %kv, %c1 : i64
    %wide = arith.muli %kv, %kv : i64
    %sum = arith.addi %next, %wide : i64
    %pair = arith.addi %sum, %q : i64
    %number = arith.sitofp %pair : i64 to f32
    %bias = attn.load @bias[clamp %kv : i64] : f32
    %product = arith.mulf %number, %bias : f32
    %r = arith.addf %s, %product : f32
    attn.yield %r : f32
  }
}
