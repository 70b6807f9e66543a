// RUN: attn-opt %s -split-input-file -attn-expand-math | FileCheck %s --check-prefixes=CHECK,FMA
// RUN: attn-opt %s -split-input-file -attn-expand-math='no-fma expand-rounding' | FileCheck %s --check-prefixes=CHECK,BASE
// RUN: attn-opt %s -split-input-file -attn-expand-math=approximations | FileCheck %s --check-prefix=INSTRUCTIONS

// No function remains that would be a call; what is an instruction stays, unless the target lacks it.
// CHECK-LABEL: attn.kernel @all
// CHECK-NOT: math.{{exp|log|tanh|erf|sin|cos|powf|rsqrt}}
// CHECK-NOT: arith.remf
// BASE-NOT: math.{{fma|floor|ceil|trunc|roundeven}}
// FMA: math.fma
// FMA: math.floor
// FMA: math.ceil
// FMA: math.trunc
// FMA: math.roundeven
// CHECK: math.sqrt
// CHECK: math.absf
attn.kernel @all dtype(f32) head_dim(8) value_dim(8) {
  attn.score(%score, %b, %h, %q, %kv) {
    %0 = math.exp %score : f32
    %1 = math.exp2 %0 : f32
    %2 = math.expm1 %1 : f32
    %3 = math.log %2 : f32
    %4 = math.log2 %3 : f32
    %5 = math.log1p %4 : f32
    %6 = math.tanh %5 : f32
    %7 = math.erf %6 : f32
    %8 = math.sin %7 : f32
    %9 = math.cos %8 : f32
    %10 = math.rsqrt %9 : f32
    %11 = math.powf %10, %0 : f32
    %12 = math.floor %11 : f32
    %13 = math.ceil %12 : f32
    %14 = math.trunc %13 : f32
    %15 = math.roundeven %14 : f32
    %16 = math.sqrt %15 : f32
    %17 = math.absf %16 : f32
    %18 = arith.remf %17, %0 : f32
    attn.yield %18 : f32
  }
}

// -----

// An approximation that is asked for needs no exact steps: tanh is one quotient of polynomials.
// CHECK-LABEL: attn.kernel @approximate
// CHECK-NOT: arith.shli
// CHECK: arith.divf
// CHECK-NEXT: attn.yield
attn.kernel @approximate dtype(f32) head_dim(8) value_dim(8) {
  attn.score(%score, %b, %h, %q, %kv) {
    %0 = math.tanh %score fastmath<afn> : f32
    attn.yield %0 : f32
  }
}

// -----

// Small constant exponents are products.
// CHECK-LABEL: attn.kernel @cube
// CHECK: %[[SQUARE:.*]] = arith.mulf %[[X:.*]], %[[X]]
// CHECK-NEXT: %[[CUBE:.*]] = arith.mulf %[[SQUARE]], %[[X]]
// CHECK-NEXT: attn.yield %[[CUBE]]
attn.kernel @cube dtype(f32) head_dim(8) value_dim(8) {
  attn.score(%score, %b, %h, %q, %kv) {
    %three = arith.constant 3.0 : f32
    %0 = math.powf %score, %three : f32
    attn.yield %0 : f32
  }
}

// -----

// Targets that have instructions for them take 2^x for exp, and with 1 / x for tanh. The product with log2(e) is exact to twice
// the bits for exp.
// INSTRUCTIONS-LABEL: attn.kernel @instructions
// INSTRUCTIONS:         %[[T:.*]] = arith.mulf %{{.*}}, %[[LOG2E:.*]] : f32
// INSTRUCTIONS:         math.fma %{{.*}}, %[[LOG2E]], %{{.*}} : f32
// INSTRUCTIONS:         math.exp2 %[[T]] fastmath<afn>
// INSTRUCTIONS:         %[[CHANGE:.*]] = arith.addf
// INSTRUCTIONS-NEXT:    %[[EXP:.*]] = arith.mulf %{{.*}}, %[[CHANGE]]
// INSTRUCTIONS-NEXT:    %[[EXP2:.*]] = math.exp2 %[[EXP]] fastmath<afn>
// INSTRUCTIONS:         %[[E:.*]] = math.exp2 %{{.*}} fastmath<afn>
// INSTRUCTIONS:         %[[SUM:.*]] = arith.addf %[[E]],
// INSTRUCTIONS:         %[[INVERSE:.*]] = arith.divf %{{.*}}, %[[SUM]] fastmath<afn>
// INSTRUCTIONS:         %[[TANH:.*]] = math.fma %[[INVERSE]],
// INSTRUCTIONS-NEXT:    attn.yield %[[TANH]]
attn.kernel @instructions dtype(f32) head_dim(8) value_dim(8) {
  attn.score(%score, %b, %h, %q, %kv) {
    %0 = math.exp %score : f32
    %1 = math.exp2 %0 : f32
    %2 = math.tanh %1 : f32
    attn.yield %2 : f32
  }
}

// -----

// Approximations that are asked for are the instructions alone.
// INSTRUCTIONS-LABEL: attn.kernel @approximate_instructions
// INSTRUCTIONS:         %[[T:.*]] = arith.mulf
// INSTRUCTIONS-NEXT:    %[[EXP:.*]] = math.exp2 %[[T]] fastmath<afn>
// INSTRUCTIONS-NEXT:    %[[TANH:.*]] = math.tanh %[[EXP]] fastmath<afn>
// INSTRUCTIONS-NEXT:    attn.yield %[[TANH]]
attn.kernel @approximate_instructions dtype(f32) head_dim(8) value_dim(8) {
  attn.score(%score, %b, %h, %q, %kv) {
    %0 = math.exp %score fastmath<afn> : f32
    %1 = math.tanh %0 fastmath<afn> : f32
    attn.yield %1 : f32
  }
}
