// RUN: attn-opt %s --convert-attn-to-tile=features=avx2,fma --convert-tile-to-vector --canonicalize --split-input-file | FileCheck %s

// A causal mask needs no verdicts: each sub-tile clips its keys by a formula. Where a block is partial, excluded pairs get -inf, and
// keys past the last as well.
// CHECK-LABEL: llvm.func @causal
// CHECK-DAG:     %[[LEAST:.*]] = arith.constant dense<0xFF800000> : vector<8xf32>
// CHECK:         %[[TAKES_PART:.*]] = arith.cmpi sge, %{{.*}}, %{{.*}} : vector<8xi64>
// CHECK:         arith.select %[[TAKES_PART]], %{{.*}}, %[[LEAST]]
// CHECK:         scf.for
// CHECK:           llvm.store %[[LEAST]]
attn.kernel @causal dtype(f32) head_dim(64) value_dim(64) {
  attn.mask(%b, %h, %q, %kv) {
    %m = arith.cmpi sge, %q, %kv : i64
    attn.yield %m : i1
  }
}

// -----

// What depends on the head alone is computed before the loop over keys; the score body stands in both cases.
// CHECK-LABEL: llvm.func @alibi
// CHECK:         %[[SLOPE:.*]] = llvm.load {{.*}} -> f32
// CHECK:         scf.for
// CHECK:         scf.if
// CHECK:           arith.mulf %{{.*}} : vector<8xf32>
// CHECK:         } else {
// CHECK:           arith.mulf %{{.*}} : vector<8xf32>
attn.kernel @alibi dtype(f32) head_dim(64) value_dim(64) {
  attn.capture @slopes : f32["Hq"]
  attn.score(%score, %b, %h, %q, %kv) {
    %slope = attn.load @slopes[inside %h] : f32
    %distance = arith.subi %kv, %q : i64
    %d = arith.sitofp %distance : i64 to f32
    %bias = arith.mulf %slope, %d : f32
    %r = arith.addf %score, %bias : f32
    attn.yield %r : f32
  }
}
