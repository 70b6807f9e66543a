// RUN: attn-opt %s --convert-attn-to-tile=shared-memory=101376 --convert-tile-to-vector --verify-diagnostics

// A kernel that was scheduled for a GPU has no tiles for the registers of a CPU.
// expected-error@+1 {{expected a schedule for CPUs, got a warp_schedule}}
attn.kernel @plain_f32_d64 dtype(f32) head_dim(64) value_dim(64) {
}
