//===- compile.cpp - Compiles a program and shows how large the code is -----===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include <attnc/compiler.h>
#include <cstdio>

int main() {
  attnc_source_t source{};
  source.struct_size = sizeof source;
  source.text = "mask_mod = causal";
  attnc_code_t code{};
  code.struct_size = sizeof code;
  attnc_status_t status = attnc_compile(&source, "sm_80", &code);
  std::printf("%s", status == ATTNC_OK && code.size > 1000 ? "compiled\n" : code.messages);
  attnc_code_release(&code);
  return status;
}
