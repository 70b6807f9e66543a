// RUN: attn-opt %s -split-input-file -verify-diagnostics --convert-attn-to-tile="shared-memory=101376 tile=256x128"
// RUN: not attn-opt %s --convert-attn-to-tile="shared-memory=101376 tile=256" 2>&1 | FileCheck %s
// RUN: not attn-opt %s --convert-attn-to-tile="shared-memory=101376 tile=100x64" 2>&1 | FileCheck %s
// CHECK: error: expected a tile of QUERIESxKEYS with queries of 16, 32, 64, 128, 256 and keys of 16, 32, 64, 128, got `{{256|100x64}}`

// A tile that needs more than there is says what of, and which tiles fit.
// expected-error-re@+2 {{expected a tile that fits, got `256x128`, which takes {{1[0-9]*}} bytes of shared memory of the 101376 that a block of threads can have}}
// expected-note@+1 {{tiles that fit: 16x16, 16x32, 16x64, 16x128, 32x16, 32x32, 32x64, 32x128, 64x16, 64x32, 64x64, 64x128, 128x16, 128x32, 128x64, 128x128, 256x16, 256x32, 256x64}}
attn.kernel @shared dtype(bf16) head_dim(128) value_dim(16) {
}

// -----

// expected-error@+2 {{expected a tile that fits, got `256x128`, which takes 160 registers a thread for scores and output of the 73 that a block of 512 threads leaves for them}}
// expected-note@+1 {{tiles that fit: 16x16, 16x32, 16x64, 16x128, 32x16, 32x32, 32x64, 32x128, 64x16, 64x32, 64x64, 64x128, 128x16, 128x32, 128x64}}
attn.kernel @registers dtype(bf16) head_dim(64) value_dim(192) {
}
