// RUN: attn-opt %s -split-input-file -attn-expand-math | FileCheck %s --check-prefixes=CHECK,FMA
// RUN: attn-opt %s -split-input-file -attn-expand-math='no-fma expand-rounding' | FileCheck %s --check-prefixes=CHECK,BASE

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
