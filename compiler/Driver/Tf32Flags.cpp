//===- Tf32Flags.cpp - --tf32 and --tf32x3 ----------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/Tf32Flags.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace attnc;
using namespace attnc::driver;

std::vector<Option> Tf32Flags::makeOptions() {
  return {
      makeFlag("--tf32", rounded,
               "for GPUs: multiply f32 on tensor cores, rounded to tf32 with its 11 significant "
               "bits; if not given, products of f32 are exact to f32"),
      makeFlag("--tf32x3", split,
               "for GPUs: multiply f32 on tensor cores as sums of two tf32, three products "
               "each: nearly as exact as f32")};
}

std::optional<std::string> Tf32Flags::check() const {
  if (rounded && split)
    return "expected either `--tf32` or `--tf32x3`, got both";
  return std::nullopt;
}

std::optional<std::string> Tf32Flags::checkDtypes(llvm::ArrayRef<ElementType> dtypes) const {
  if (!getName() || llvm::is_contained(dtypes, ElementType::F32))
    return std::nullopt;
  std::string names = llvm::join(
      llvm::map_range(dtypes, [](ElementType type) { return std::string(attnc::getName(type)); }),
      ",");
  return "`" + std::string(getName()) + "` expects `--dtype f32`, got `" + names + "`";
}

const char *Tf32Flags::getName() const { return rounded ? "--tf32" : split ? "--tf32x3" : nullptr; }

tile::Tf32 Tf32Flags::getValue() const {
  return rounded ? tile::Tf32::Rounded : split ? tile::Tf32::Split : tile::Tf32::None;
}
