attn.kernel @plain dtype(f32) head_dim(4) value_dim(4) {
}
