//===- Library.cpp - The mods that come with the compiler -------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/Library.h"
#include "compiler/Frontend/Diagnostics.h"
#include "compiler/Frontend/Parser.h"
#include "compiler/library/LibraryText.h"
#include <cassert>

using namespace attnc;

llvm::StringRef Library::getText() { return libraryText; }

void Library::load() {
  file = &sources.add("attnc.attn", getText().str());
  DiagnosticEngine diagnostics(sources);
  const ast::Module *module = parse(*file, context, diagnostics);
  assert(module && !diagnostics.hasErrors() && "the library has syntax errors");
  for (const ast::Stmt *stmt : module->getBody())
    if (const auto *definition = llvm::dyn_cast<ast::FunctionDefStmt>(stmt))
      functions[definition->getName().text] = definition;
}

const llvm::MapVector<llvm::StringRef, const ast::FunctionDefStmt *> &Library::getFunctions() {
  if (!file)
    load();
  return functions;
}

const ast::FunctionDefStmt *Library::find(llvm::StringRef name) {
  return getFunctions().lookup(name);
}
