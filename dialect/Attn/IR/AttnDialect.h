//===- AttnDialect.h - The attn dialect ---------------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef DIALECT_ATTN_IR_ATTNDIALECT_H
#define DIALECT_ATTN_IR_ATTNDIALECT_H

#include "mlir/IR/Dialect.h"

#include "dialect/Attn/IR/AttnDialect.h.inc"

#endif // DIALECT_ATTN_IR_ATTNDIALECT_H
