//===- Parser.h - PTX text to syntax tree -----------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_EMULATOR_PARSER_H
#define RUNTIME_EMULATOR_PARSER_H

#include "runtime/emulator/Ast.h"

#include <string_view>
#include <vector>

namespace attnc::emu {

/// Parses `text` into `module`. Errors are appended to `diagnostics`; the parser goes on after an
/// error in a statement, so that several are found in one run. Returns true when there was none.
bool parseModule(std::string_view text, ModuleAst &module, std::vector<Diagnostic> &diagnostics);

/// True if `name` is a special register the language knows (modelled or not).
bool isSpecialRegister(std::string_view name);

} // namespace attnc::emu

#endif // RUNTIME_EMULATOR_PARSER_H
