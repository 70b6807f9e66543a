//===- Frontend.cpp - From an .attn file to attn kernels --------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/Frontend.h"
#include "compiler/Frontend/AttnBuilder.h"
#include "compiler/Frontend/Builtins.h"
#include "compiler/Frontend/NearestName.h"
#include "compiler/Frontend/Parser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace attnc;

std::string attnc::getKernelName(llvm::StringRef name, const KernelShape &shape) {
  std::string result;
  for (char c : name)
    result += llvm::isAlnum(c) || c == '_' ? c : '_';
  if (result.empty() || llvm::isDigit(result.front()))
    result.insert(result.begin(), '_');
  result += "_" + getName(shape.dtype) + "_d" + std::to_string(shape.headDim);
  if (shape.valueDim != shape.headDim)
    result += "x" + std::to_string(shape.valueDim);
  return result;
}

static llvm::StringSet<> checkApproximate(const FrontendOptions &options,
                                          std::vector<std::string> &errors) {
  llvm::StringSet<> names;
  for (const std::string &name : options.approximate) {
    if (isApproximable(name)) {
      names.insert(name);
      continue;
    }
    NearestName nearest(name);
    for (llvm::StringRef candidate : getApproximableNames())
      nearest.consider(candidate);
    errors.push_back("--approx " + name + ": " +
                     (nearest.isFound()
                          ? nearest.getQuestion()
                          : "expected one of " + llvm::join(getApproximableNames(), ", ")));
  }
  return names;
}

/// Reports the -D that name no constant of the program.
static void checkUnused(const Defines &defines, const ast::Module &module,
                        std::vector<std::string> &errors) {
  for (llvm::StringRef name : defines.getUnused()) {
    NearestName nearest(name);
    forEachBoundName(module.getBody(),
                     [&](llvm::StringRef candidate, SourceRange) { nearest.consider(candidate); });
    std::string error = "-D " + name.str() + "=" + defines.getText(name).str() +
                        ": the program has no constant `" + name.str() + "`";
    if (nearest.isFound())
      error += "; " + nearest.getQuestion();
    errors.push_back(error);
  }
}

FrontendResult attnc::compileToAttn(const SourceFile &file, const FrontendOptions &options,
                                    SourceManager &sources, DiagnosticEngine &diagnostics,
                                    mlir::MLIRContext &context) {
  ast::ASTContext trees;
  const ast::Module *tree = parse(file, trees, diagnostics);
  return compileToAttn(*tree, options, sources, diagnostics, context);
}

FrontendResult attnc::compileToAttn(const ast::Module &tree, const FrontendOptions &options,
                                    SourceManager &sources, DiagnosticEngine &diagnostics,
                                    mlir::MLIRContext &context) {
  FrontendResult result;
  // After errors of syntax the tree lacks statements that others need.
  if (diagnostics.hasErrors())
    return result;
  const SourceFile &file = *tree.getRange().file;
  context.loadDialect<attn::AttnDialect, mlir::arith::ArithDialect, mlir::math::MathDialect>();
  Defines defines(options.defines);
  llvm::StringSet<> approximate = checkApproximate(options, result.usageErrors);
  Library library(sources);
  mlir::Location location =
      mlir::FileLineColRange::get(mlir::StringAttr::get(&context, file.getName()), 1, 1, 1, 1);
  mlir::OwningOpRef<mlir::ModuleOp> made = mlir::ModuleOp::create(location);
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(made->getBody());

  // A program depends on the dims, not on the element type.
  std::map<std::pair<int64_t, int64_t>, std::unique_ptr<Program>> programs;
  for (const KernelShape &shape : options.shapes) {
    std::unique_ptr<Program> &program = programs[{shape.headDim, shape.valueDim}];
    if (!program) {
      program = std::make_unique<Program>();
      Evaluator::Options dims{shape.headDim, shape.valueDim, &approximate};
      Evaluator evaluator(dims, defines, library, diagnostics, *program);
      evaluator.run(tree);
    }
    if (diagnostics.hasErrors())
      break;
    buildKernel(builder, *program,
                {getKernelName(options.name, shape), shape.dtype, shape.headDim, shape.valueDim,
                 options.lse, options.checked},
                file);
  }
  if (!diagnostics.hasErrors())
    checkUnused(defines, tree, result.usageErrors);
  llvm::append_range(result.usageErrors, defines.getErrors());
  if (diagnostics.hasErrors() || !result.usageErrors.empty())
    return result;
  [[maybe_unused]] bool verified = mlir::succeeded(mlir::verify(*made));
  assert(verified && "the front end made a module that does not verify");
  result.module = std::move(made);
  return result;
}
