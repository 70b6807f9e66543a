// RUN: attn-opt %s -split-input-file -attn-expand-math -verify-diagnostics

attn.kernel @unknown dtype(f32) head_dim(8) value_dim(8) {
  attn.score(%score, %b, %h, %q, %kv) {
    // expected-error @+1 {{'math.tan' op expected an operation on f32 that has an expansion, got one on 'f32'}}
    %0 = math.tan %score : f32
    attn.yield %0 : f32
  }
}

// -----

attn.kernel @half dtype(f32) head_dim(8) value_dim(8) {
  attn.score(%score, %b, %h, %q, %kv) {
    %half = arith.truncf %score : f32 to f16
    // expected-error @+1 {{'math.exp' op expected an operation on f32 that has an expansion, got one on 'f16'}}
    %0 = math.exp %half : f16
    %1 = arith.extf %0 : f16 to f32
    attn.yield %1 : f32
  }
}
