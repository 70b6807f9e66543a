//===- Builtins.cpp - Functions that programs can call ----------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/Builtins.h"
#include "compiler/Frontend/NearestName.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include <limits>

using namespace attnc;

//===------------------------------------------------------------------------===//
// Finding them
//===------------------------------------------------------------------------===//

static const BuiltinNamespace allNamespaces[] = {InPlain, InTorch, InMath, InMethods};

template <typename Use> static void forEachBuiltin(Use use) {
  for (llvm::ArrayRef<Builtin> rows :
       {getMathBuiltins(), getConversionBuiltins(), getPythonBuiltins()})
    for (const Builtin &row : rows)
      use(row);
}

const Builtin *attnc::findBuiltin(BuiltinNamespace where, llvm::StringRef name) {
  using Index = llvm::StringMap<const Builtin *>;
  static const std::map<BuiltinNamespace, Index> indices = [] {
    std::map<BuiltinNamespace, Index> made;
    forEachBuiltin([&](const Builtin &row) {
      for (BuiltinNamespace space : allNamespaces)
        if (row.namespaces & space)
          made[space].try_emplace(row.name, &row);
    });
    return made;
  }();
  return indices.at(where).lookup(name);
}

void attnc::forEachBuiltinName(BuiltinNamespace where,
                               llvm::function_ref<void(llvm::StringRef)> use) {
  forEachBuiltin([&](const Builtin &row) {
    if (row.namespaces & where)
      use(row.name);
  });
}

std::optional<double> attnc::findConstant(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<double>>(name)
      .Case("inf", std::numeric_limits<double>::infinity())
      .Case("nan", std::numeric_limits<double>::quiet_NaN())
      .Case("pi", 3.141592653589793)
      .Case("tau", 6.283185307179586)
      .Case("e", 2.718281828459045)
      .Default(std::nullopt);
}

std::optional<ElementType> attnc::findTorchType(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<ElementType>>(name)
      .Cases({"float32", "float"}, ElementType::F32)
      .Cases({"float16", "half"}, ElementType::F16)
      .Case("bfloat16", ElementType::BF16)
      .Case("int8", ElementType::I8)
      .Case("uint8", ElementType::U8)
      .Cases({"int16", "short"}, ElementType::I16)
      .Cases({"int32", "int"}, ElementType::I32)
      .Cases({"int64", "long"}, ElementType::I64)
      .Case("bool", ElementType::Bool)
      .Default(std::nullopt);
}

TensorWork attnc::classifyTensorWork(llvm::StringRef name) {
  name.consume_front("torch.");
  static const llvm::StringRef construction[] = {"arange",
                                                 "linspace",
                                                 "logspace",
                                                 "cumsum",
                                                 "cumprod",
                                                 "cat",
                                                 "concat",
                                                 "stack",
                                                 "tril",
                                                 "triu",
                                                 "tril_indices",
                                                 "eye",
                                                 "rand",
                                                 "randn",
                                                 "randint",
                                                 "randperm",
                                                 "meshgrid",
                                                 "outer",
                                                 "repeat_interleave",
                                                 "repeat",
                                                 "expand",
                                                 "expand_as",
                                                 "reshape",
                                                 "view",
                                                 "flatten",
                                                 "permute",
                                                 "transpose",
                                                 "t",
                                                 "unsqueeze",
                                                 "scatter",
                                                 "scatter_",
                                                 "gather",
                                                 "index_select",
                                                 "take",
                                                 "roll",
                                                 "flip",
                                                 "sort",
                                                 "argsort",
                                                 "topk",
                                                 "unique",
                                                 "nonzero",
                                                 "bucketize",
                                                 "searchsorted",
                                                 "one_hot",
                                                 "matmul",
                                                 "mm",
                                                 "bmm",
                                                 "einsum",
                                                 "dot",
                                                 "diff",
                                                 "tolist",
                                                 "empty",
                                                 "broadcast_to",
                                                 "split",
                                                 "chunk",
                                                 "pad",
                                                 "block_diag",
                                                 "histc",
                                                 "bincount",
                                                 "copy_",
                                                 "fill_",
                                                 "cdist",
                                                 "norm"};
  static const llvm::StringRef reductions[] = {
      "sum", "mean", "prod", "amax", "amin",   "all",       "any",     "argmax",       "argmin",
      "max", "min",  "std",  "var",  "median", "logsumexp", "softmax", "count_nonzero"};
  if (llvm::is_contained(construction, name))
    return TensorWork::Construction;
  return llvm::is_contained(reductions, name) ? TensorWork::Reduction : TensorWork::None;
}

llvm::ArrayRef<llvm::StringLiteral> attnc::getApproximableNames() {
  static constexpr llvm::StringLiteral names[] = {"exp",  "exp2", "expm1", "log",  "log1p",
                                                  "log2", "sqrt", "rsqrt", "tanh", "sigmoid",
                                                  "sin",  "cos",  "erf",   "pow"};
  return names;
}

bool attnc::isApproximable(llvm::StringRef name) {
  return llvm::is_contained(getApproximableNames(), name);
}

//===------------------------------------------------------------------------===//
// Their operands
//===------------------------------------------------------------------------===//

namespace {
struct Parameter {
  /// The name and what else it is called.
  llvm::SmallVector<llvm::StringRef, 3> names;
  bool optional = false;

  explicit Parameter(llvm::StringRef text) {
    text.split(names, '|');
    optional = names.front().consume_back("=");
  }
};
} // namespace

/// Arguments of torch that say where and how a tensor lies, which means nothing here.
static bool isIgnoredKeyword(llvm::StringRef name) {
  static const llvm::StringRef ignored[] = {
      "device", "requires_grad", "non_blocking", "copy", "memory_format", "layout", "pin_memory"};
  return llvm::is_contained(ignored, name);
}

std::optional<llvm::SmallVector<Operand, 4>>
attnc::arrangeOperands(Evaluator &evaluator, const Builtin &builtin, CallOperands &operands) {
  llvm::SmallVector<llvm::StringRef> texts;
  builtin.parameters.split(texts, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  bool takesMore = !texts.empty() && texts.back() == "*";
  if (takesMore)
    texts.pop_back();
  llvm::SmallVector<Parameter> parameters(texts.begin(), texts.end());
  size_t count = parameters.size();
  if (operands.positional.size() > count && !takesMore) {
    evaluator.report(operands.positional[count].range, DiagId::too_many_arguments, operands.name,
                     attnc::count(count, "argument"), operands.positional.size());
    return std::nullopt;
  }
  llvm::SmallVector<Operand, 4> arranged(std::max(count, operands.positional.size()));
  llvm::copy(operands.positional, arranged.begin());
  for (const CallOperands::Keyword &keyword : operands.keywords) {
    llvm::StringRef name = keyword.name.text;
    auto *match = llvm::find_if(parameters, [&](const Parameter &parameter) {
      return llvm::is_contained(parameter.names, name);
    });
    if (match == parameters.end()) {
      if (isIgnoredKeyword(name))
        continue;
      NearestName nearest(name);
      for (const Parameter &parameter : parameters)
        for (llvm::StringRef candidate : parameter.names)
          nearest.consider(candidate);
      evaluator.report(keyword.name.range, DiagId::unknown_keyword, operands.name, name)
          .hint(nearest.getQuestion());
      return std::nullopt;
    }
    Operand &place = arranged[match - parameters.begin()];
    if (place.range.isValid()) {
      evaluator.report(keyword.name.range, DiagId::argument_given_twice, operands.name, name);
      return std::nullopt;
    }
    place = keyword.operand;
  }
  for (size_t i = 0; i < count; ++i)
    if (!arranged[i].range.isValid() && !parameters[i].optional) {
      evaluator.report(operands.range, DiagId::missing_argument, operands.name,
                       parameters[i].names.front());
      return std::nullopt;
    }
  for (const Operand &operand : arranged)
    if (operand.range.isValid() && operand.value.isPoison())
      return std::nullopt;
  return arranged;
}
