// RUN: attn-opt %s --attn-pipeline=cpu=x86-64-v3 | FileCheck %s --check-prefixes=CHECK,FMA
// RUN: attn-opt %s --attn-pipeline=cpu=x86-64 | FileCheck %s --check-prefixes=CHECK,NO-FMA
// RUN: not attn-opt %s --host-pipeline=cpu=pentium 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: attn-opt %s --ptx-pipeline | FileCheck %s --check-prefixes=PTX,LARGE
// RUN: attn-opt %s --ptx-pipeline=shared-memory=16000 | FileCheck %s --check-prefixes=PTX,SMALL
// RUN: not attn-opt %s --ptx-pipeline=shared-memory=1000 2>&1 | FileCheck %s --check-prefix=SHARED

// CPU: expected a CPU of native, x86-64-v4-bf16, x86-64-v4, x86-64-v3, x86-64, got `pentium`
// SHARED: error: no tile of this kernel fits into 1000 bytes

// The pipeline for GPUs leads to the LLVM dialect, with the GPU's instructions for what a CPU has to compute. The kernel notes how
// it is launched, in as much shared memory as there is.
// PTX-LABEL: llvm.func @exp(
// LARGE-SAME:  attnc.query_block = 128
// SMALL-SAME:  attnc.query_block = 32
// PTX-NOT:     {{ (scf|arith|math|cf)\.}}
// PTX:         %[[POWER:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
// PTX:         llvm.fmul %[[POWER]],
// PTX-NOT:     {{ (scf|arith|math|cf)\.}}
// PTX:         llvm.return

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
