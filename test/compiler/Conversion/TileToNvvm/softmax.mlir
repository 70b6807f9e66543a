// RUN: attn-opt %s -split-input-file --convert-attn-to-tile=shared-memory=12000 --convert-tile-to-nvvm --canonicalize --cse | FileCheck %s

// The static scale joins the exponent; what is subtracted there, the product of the maximum, is rounded up, so that no weight is above 1. Keys past the last one are excluded: the bits of a lane's keys that there are
// come from their number. A row's maximum is that of a lane's columns, then of its quad; where nothing was seen, the smallest number stands in for it. A maximum that stays gives a factor of exactly 1.
// CHECK-LABEL: llvm.func @plain(
// CHECK:         scf.for
// CHECK:         nvvm.mma.sync
// CHECK:         nvvm.barrier
// CHECK:         %[[BITS:.*]] = llvm.inline_asm "bmsk.clamp.b32 $0, $1, $2;", "=r,r,r" %c0_i32, %{{.*}} :
// CHECK:         %[[BIT:.*]] = arith.andi %[[BITS]], %c1_i32
// CHECK:         %[[INSIDE:.*]] = arith.cmpi ne, %[[BIT]], %c0_i32
// CHECK:         %[[S0:.*]] = arith.select %[[INSIDE]], %{{.*}}, %[[MINUS_INFINITY:.*]] : f32
// CHECK:         %[[M0:.*]] = arith.maxnumf %[[S0]], %{{.*}} : f32
// CHECK:         %[[M1:.*]] = arith.maxnumf %[[M0]],
// CHECK:         nvvm.shfl.sync bfly %{{.*}}, %[[M1]], %c1_i32, %c31_i32
// CHECK:         nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %c2_i32, %c31_i32
// CHECK:         %[[QUAD:.*]] = arith.maxnumf
// CHECK:         %[[MAXIMUM:.*]] = arith.maxnumf %[[OLD:.*]], %[[QUAD]]
// CHECK:         %[[PRODUCT:.*]] = llvm.call_intrinsic "llvm.nvvm.mul.rp.f"(%[[MAXIMUM]], %[[SCALE:.*]]) :
// CHECK:         %[[REFERENCE:.*]] = arith.maxnumf %[[PRODUCT]],
// CHECK:         %[[BEFORE:.*]] = llvm.call_intrinsic "llvm.nvvm.mul.rp.f"(%[[OLD]], %[[SCALE]]) :
// CHECK:         %[[CHANGE:.*]] = arith.subf %[[BEFORE]], %[[REFERENCE]]
// CHECK:         %[[FACTOR:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[CHANGE]])
// CHECK:         %[[NEGATED:.*]] = arith.negf %[[REFERENCE]]
// CHECK:         %[[E0:.*]] = math.fma %[[S0]], %[[SCALE]], %[[NEGATED]]
// CHECK:         %[[W0:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[E0]])
// CHECK-COUNT-3: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
// CHECK:         math.fma %{{.*}}, %[[FACTOR]], %{{.*}} : f32
// CHECK:         nvvm.mma.sync

// In full blocks there is nothing to exclude.
// CHECK:         nvvm.barrier
// CHECK-NOT:     arith.select {{.*}} : f32
// CHECK:         arith.maxnumf
attn.kernel @plain dtype(bf16) head_dim(16) value_dim(16) {
}

// -----

// A score body takes scaled scores, so that exp(score - maximum) is left. The mask's pairs take part, of the keys that there
// are; bodies are computed for keys past the last as for the last.
// CHECK-LABEL: llvm.func @bodies(
// CHECK:         scf.for
// CHECK:         nvvm.mma.sync
// CHECK:         %[[DOT:.*]] = llvm.extractvalue %{{.*}}[0]
// CHECK:         nvvm.barrier
// CHECK:         %[[LAST:.*]] = arith.addi %{{.*}}, %c-1_i32
// CHECK:         %[[USED:.*]] = arith.minsi %{{.*}}, %[[LAST]] : i32
// CHECK:         %[[SCALED:.*]] = arith.mulf %[[DOT]], %[[SCALE:.*]] :
// CHECK:         %[[SCORE:.*]] = arith.addf %[[SCALED]], %[[SCALED]]
// CHECK:         %[[AND:.*]] = arith.andi %[[QUERY:.*]], %[[USED]] : i32
// CHECK:         %[[KEEP:.*]] = arith.cmpi eq, %[[AND]], %[[QUERY]]
// CHECK:         %[[INSIDE:.*]] = arith.cmpi sgt, %{{.*}}, %c0_i32
// CHECK:         %[[TAKEN:.*]] = llvm.inline_asm "and.pred $0, $1, $2;", "=b,b,b" %[[INSIDE]], %[[KEEP]] :
// CHECK:         %[[S0:.*]] = arith.select %[[TAKEN]], %[[SCORE]], %{{.*}} : f32
// CHECK:         %[[E0:.*]] = math.fma %[[S0]],
// CHECK:         llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[E0]])
attn.kernel @bodies dtype(bf16) head_dim(16) value_dim(16) {
  attn.score(%s, %b, %h, %q, %kv) {
    %r = arith.addf %s, %s : f32
    attn.yield %r : f32
  }
  attn.mask(%b, %h, %q, %kv) {
    %and = arith.andi %q, %kv : i64
    %r = arith.cmpi eq, %and, %q : i64
    attn.yield %r : i1
  }
}
