// RUN: attn-opt %s --attn-pipeline=cpu=x86-64-v3 | FileCheck %s --check-prefixes=CHECK,FMA
// RUN: attn-opt %s --attn-pipeline=cpu=x86-64 | FileCheck %s --check-prefixes=CHECK,NO-FMA
// RUN: not attn-opt %s --host-pipeline=cpu=pentium 2>&1 | FileCheck %s --check-prefix=CPU

// CPU: expected a CPU of native, x86-64-v3, x86-64, got `pentium`

// Builtins become arithmetic that the CPU has, and what does nothing is gone.
// CHECK-LABEL: attn.kernel @exp
// CHECK-NOT: arith.addi %q, %kv
// CHECK-NOT: math.exp
// FMA: math.fma
// NO-FMA-NOT: math.fma
attn.kernel @exp dtype(f32) head_dim(8) value_dim(8) {
  attn.score(%score, %b, %h, %q, %kv) {
    %unused = arith.addi %q, %kv : i64
    %r = math.exp %score : f32
    attn.yield %r : f32
  }
}
