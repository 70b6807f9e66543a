// RUN: attn-opt %s --convert-attn-to-tile=features=avx512f,avx512bw,avx512dq,avx512vl,avx512bf16,fma --convert-tile-to-vector --canonicalize --split-input-file | FileCheck %s

// The next block of keys and values is prefetched while this one is used, and maxima are taken as scores leave the
// accumulators.
// CHECK-LABEL: llvm.func @f32_d64
// CHECK:         llvm.intr.prefetch
// CHECK:         scf.for
// CHECK-COUNT-16:  llvm.intr.fmuladd
// CHECK:         %[[LARGER:.*]] = arith.cmpf ogt
// CHECK:         arith.select %[[LARGER]]
attn.kernel @f32_d64 dtype(f32) head_dim(64) value_dim(64) {
}

// -----

// Pairs of bf16 have an instruction; an odd last head dim is read alone, with zero bits beside it.
// CHECK-LABEL: llvm.func @bf16_d3
// CHECK:         scf.for
// CHECK-COUNT-16:  llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK:           scf.yield
// CHECK:         arith.extui {{.*}} : i16 to i32
// CHECK-COUNT-16:  llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
attn.kernel @bf16_d3 dtype(bf16) head_dim(3) value_dim(8) {
}

// -----

// A scale that is known and above zero is part of the exponent; 0.125 * log2(e) here.
// CHECK-LABEL: llvm.func @folded
// CHECK:         arith.constant dense<0.180336878>
// CHECK-NOT:     arith.constant dense<1.44269502>
attn.kernel @folded dtype(f32) head_dim(64) value_dim(64) {
}

// -----

// Others are applied to scores, so that a maximum is one of what the weights are made from.
// CHECK-LABEL: llvm.func @negative
// CHECK-DAG:     %[[SCALE:.*]] = arith.constant dense<-5.000000e-01>
// CHECK-DAG:     arith.constant dense<1.44269502>
// CHECK:         arith.mulf %{{.*}}, %[[SCALE]]
attn.kernel @negative dtype(f32) head_dim(64) value_dim(64) scale(-0.5) {
}
