// RUN: attn-opt %s --convert-attn-to-tile=features=avx512f,avx512bw,avx512dq,avx512vl,avx512bf16,fma --convert-tile-to-vector --canonicalize --split-input-file | FileCheck %s

// Exact runs use a mask for each accumulation, and read v as it is. Columns that fill no register tile have a smaller one.
// CHECK-LABEL: llvm.func @bf16_d8x11
// CHECK:         arith.constant dense<-2147483648> : vector<16xi32>
// CHECK:         scf.while (%[[EXACT:.*]] =
// CHECK:         scf.if %[[EXACT]] {
// CHECK:           arith.cmpi ne, %{{.*}} : vector<16xi32>
// CHECK:           llvm.load {{.*}} -> bf16
// CHECK-COUNT-16:  arith.select
// CHECK:           scf.yield
// CHECK-COUNT-6:   arith.select
// CHECK:         } else {
// CHECK-COUNT-16:  llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK:           scf.yield
// CHECK-COUNT-6:   llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK-NOT:       llvm.call_intrinsic
attn.kernel @bf16_d8x11 dtype(bf16) head_dim(8) value_dim(11) {
}
