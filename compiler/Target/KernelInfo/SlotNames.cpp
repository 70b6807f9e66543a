//===- SlotNames.cpp - Names of launch arguments ----------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Target/KernelInfo/SlotNames.h"
#include "compiler/Target/KernelInfo/MetadataFields.h"
#include "llvm/Support/FormatVariadic.h"

using namespace attnc;
using namespace attnc::metadata;
using llvm::formatv;
namespace json = llvm::json;

std::vector<std::string> attnc::getSlotNames(const json::Object &kernel) {
  std::vector<std::string> names = {"B", "Hq", "Hkv", "Q", "KV", "scale"};
  for (const char *tensor : {"q", "k", "v", "o", "lse"})
    for (const char *member : {"data", "batch_stride", "head_stride", "row_stride"})
      names.push_back(formatv("{0}.{1}", tensor, member));
  for (const std::string &extent : getStrings(kernel, "extents"))
    names.push_back("extents." + extent);
  for (const json::Object *capture : getObjects(kernel, "captures")) {
    llvm::StringRef name = getString(*capture, "name");
    names.push_back(formatv("captures.{0}.data", name));
    size_t rank = getStrings(*capture, "shape").size();
    for (const char *member : {"sizes", "strides"})
      for (size_t dim = 0; dim < rank; ++dim)
        names.push_back(formatv("captures.{0}.{1}[{2}]", name, member, dim));
  }
  for (const json::Object *scalar : getObjects(kernel, "scalars"))
    names.push_back(formatv("scalars.{0}", getString(*scalar, "name")));
  return names;
}
