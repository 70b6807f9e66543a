// RUN: attn-opt %s --convert-attn-to-tile=features=avx512f,avx512bw,avx512dq,avx512vl,avx512bf16,fma --convert-tile-to-vector --canonicalize | FileCheck %s --check-prefixes=CHECK,AVX512
// RUN: attn-opt %s --convert-attn-to-tile --convert-tile-to-vector --canonicalize | FileCheck %s --check-prefixes=CHECK,BASE

// Where nothing was seen, 0 stands in for the maximum. The exponential gives exactly 0 for -inf: by the
// instructions of AVX-512, or by a select.
// CHECK-LABEL: llvm.func @f32_d8
// CHECK:         %[[NONE:.*]] = arith.cmpf oeq
// CHECK:         %[[SAFE:.*]] = arith.select %[[NONE]]
// CHECK:         arith.subf %{{.*}}, %[[SAFE]]
// AVX512:        llvm.call_intrinsic "llvm.x86.avx512.mask.reduce.ps.512"
// AVX512-COUNT-6: llvm.intr.fmuladd
// AVX512:        llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
// BASE:          %[[TINY:.*]] = arith.cmpf olt
// BASE:          arith.select %[[TINY]]
attn.kernel @f32_d8 dtype(f32) head_dim(8) value_dim(8) {
}

// Weights of bf16 kernels are rounded in pairs of keys where there is an instruction for their products.
// CHECK-LABEL: llvm.func @bf16_d8
// AVX512:        arith.truncf {{.*}} : vector<16xf32> to vector<16xbf16>
// AVX512:        arith.truncf {{.*}} : vector<16xf32> to vector<16xbf16>
// AVX512:        vector.interleave {{.*}} : vector<16xbf16> -> vector<32xbf16>
// BASE-NOT:      vector.interleave
attn.kernel @bf16_d8 dtype(bf16) head_dim(8) value_dim(8) {
}
