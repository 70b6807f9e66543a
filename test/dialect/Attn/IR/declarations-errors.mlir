// RUN: attn-opt %s -split-input-file -verify-diagnostics

attn.kernel @stored_type dtype(f32) head_dim(8) value_dim(8) {
  // expected-error @+1 {{expected an element type of f32, f16, bf16, i8, ui8, i16, i32, i64 or i1, got 'f64'}}
  attn.capture @x : f64["Q"]
}

// -----

attn.kernel @scalar_type dtype(f32) head_dim(8) value_dim(8) {
  // expected-error @+1 {{expected an element type of f32, f16, bf16, i8, ui8, i16, i32, i64 or i1, got 'index'}}
  attn.scalar @x : index
}

// -----

attn.kernel @rank dtype(f32) head_dim(8) value_dim(8) {
  // expected-error @+1 {{expected a rank of at most 6, got 7}}
  attn.capture @x : f32[1, 2, 3, 4, 5, 6, 7]
}

// -----

attn.kernel @shape_symbols dtype(f32) head_dim(8) value_dim(8) {
  // expected-error @+1 {{expected a shape over 1 symbols and no dims, got 2 and 0}}
  "attn.capture"() <{sym_name = "x", element_type = f32, dims = ["Q"], shape = affine_map<()[s0, s1] -> (s0 + s1)>}> : () -> ()
}

// -----

attn.kernel @same_dimension dtype(f32) head_dim(8) value_dim(8) {
  // expected-error @+1 {{expected each dimension name once, got "Q" twice}}
  "attn.capture"() <{sym_name = "x", element_type = f32, dims = ["Q", "Q"], shape = affine_map<()[s0, s1] -> (s0 + s1)>}> : () -> ()
}

// -----

attn.kernel @minus_name dtype(f32) head_dim(8) value_dim(8) {
  // expected-error @+1 {{expected integer value}}
  attn.capture @x : f32["Q" - "KV"]
}

// -----

attn.kernel @no_operator dtype(f32) head_dim(8) value_dim(8) {
  // expected-error @+1 {{expected an operator before the integer}}
  attn.capture @x : f32["Q" 3]
}

// -----

attn.kernel @table_type dtype(f32) head_dim(8) value_dim(8) {
  // expected-error @+1 {{expected an element type of f32, f16, bf16, i8, ui8, i16, i32, i64 or i1, got 'i7'}}
  attn.table @x = dense<1> : tensor<2xi7>
}

// -----

attn.kernel @table_rank dtype(f32) head_dim(8) value_dim(8) {
  // expected-error @+1 {{expected a rank of at most 6, got 7}}
  attn.table @x = dense<1> : tensor<1x1x1x1x1x1x1xi8>
}

// -----

attn.kernel @table_sparse dtype(f32) head_dim(8) value_dim(8) {
  // expected-error @+1 {{expected a dense value}}
  attn.table @x = sparse<[[0]], [1]> : tensor<2xi8>
}

// -----

// expected-error @+1 {{'attn.capture' op expects parent op 'attn.kernel'}}
attn.capture @x : f32["Q"]
