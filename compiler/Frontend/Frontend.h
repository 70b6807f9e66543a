//===- Frontend.h - From an .attn file to attn kernels ------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_FRONTEND_FRONTEND_H
#define COMPILER_FRONTEND_FRONTEND_H

#include "attnc/ElementType.h"
#include "compiler/Frontend/AST.h"
#include "compiler/Frontend/Diagnostics.h"
#include "compiler/Frontend/SourceFile.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <string>
#include <vector>

namespace attnc {

/// One kernel that is asked for.
struct KernelShape {
  /// F32, F16 or BF16.
  ElementType dtype = ElementType::BF16;
  int64_t headDim = 128;
  int64_t valueDim = 128;

  bool operator==(const KernelShape &) const = default;
};

struct FrontendOptions {
  /// What the names of kernels begin with.
  std::string name = "attn";
  /// One or more, each giving a kernel.
  std::vector<KernelShape> shapes = {KernelShape()};
  bool lse = false;
  bool checked = false;
  /// `name=value`, as given with -D.
  std::vector<std::string> defines;
  /// Builtins whose hardware approximation is allowed.
  std::vector<std::string> approximate;
};

struct FrontendResult {
  /// Verified; null after errors.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// What is wrong with the command line: -D and --approx that fit nothing.
  std::vector<std::string> usageErrors;
};

/// Compiles `tree`, parsed from one of the texts of `sources`, to a module with one attn.kernel for
/// each shape. Errors of the program go to `diagnostics`; where those hold errors of syntax, only
/// what is whole is analysed. `context` gets the dialects that are needed.
FrontendResult compileToAttn(const ast::Module &tree, const FrontendOptions &options,
                             SourceManager &sources, DiagnosticEngine &diagnostics,
                             mlir::MLIRContext &context);

/// Parses `file` and compiles it.
FrontendResult compileToAttn(const SourceFile &file, const FrontendOptions &options,
                             SourceManager &sources, DiagnosticEngine &diagnostics,
                             mlir::MLIRContext &context);

/// `<name>_<dtype>_d<D>`, or `..._d<D>x<Dv>` where the dims differ; what cannot stand in a symbol
/// of an object file is replaced by `_`.
std::string getKernelName(llvm::StringRef name, const KernelShape &shape);

} // namespace attnc

#endif // COMPILER_FRONTEND_FRONTEND_H
