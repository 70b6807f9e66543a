//===- ArgumentStruct.cpp - Launch arguments as a struct of C ---------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Target/KernelInfo/ArgumentStruct.h"
#include "attnc/ArgumentLayout.h"
#include "compiler/Target/KernelInfo/MetadataFields.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace attnc;
using namespace attnc::metadata;
using llvm::formatv;
using llvm::StringRef;
namespace json = llvm::json;

/// A name of the program as a name in C and C++, which have keywords that the program may use.
static std::string makeField(StringRef name) {
  static const llvm::StringSet<> keywords = {"alignas",       "alignof",
                                             "asm",           "auto",
                                             "bool",          "case",
                                             "catch",         "char",
                                             "char16_t",      "char32_t",
                                             "char8_t",       "class",
                                             "co_await",      "co_return",
                                             "co_yield",      "compl",
                                             "concept",       "const",
                                             "consteval",     "constexpr",
                                             "constinit",     "const_cast",
                                             "decltype",      "default",
                                             "delete",        "do",
                                             "double",        "dynamic_cast",
                                             "enum",          "explicit",
                                             "export",        "extern",
                                             "false",         "float",
                                             "friend",        "goto",
                                             "inline",        "int",
                                             "long",          "mutable",
                                             "namespace",     "new",
                                             "noexcept",      "nullptr",
                                             "operator",      "private",
                                             "protected",     "public",
                                             "register",      "reinterpret_cast",
                                             "requires",      "restrict",
                                             "short",         "signed",
                                             "sizeof",        "static",
                                             "static_assert", "static_cast",
                                             "struct",        "switch",
                                             "template",      "this",
                                             "thread_local",  "throw",
                                             "true",          "try",
                                             "typedef",       "typeid",
                                             "typename",      "typeof",
                                             "typeof_unqual", "union",
                                             "unsigned",      "using",
                                             "virtual",       "void",
                                             "volatile",      "wchar_t",
                                             "and_eq",        "bitand",
                                             "bitor",         "not_eq",
                                             "or_eq",         "xor",
                                             "xor_eq"};
  return keywords.contains(name) ? (name + "_").str() : name.str();
}

void attnc::writeProgramFields(const json::Object &kernel, const FieldTypes &types,
                               llvm::raw_ostream &os) {
  if (std::vector<std::string> extents = getStrings(kernel, "extents"); !extents.empty()) {
    os << "  struct {\n";
    for (const std::string &extent : extents)
      os << "    int64_t " << makeField(extent) << ";\n";
    os << "  } extents;\n";
  }
  if (auto captures = getObjects(kernel, "captures"); !captures.empty()) {
    os << "  struct {\n";
    for (const json::Object *capture : captures) {
      std::vector<std::string> shape = getStrings(*capture, "shape");
      os << "    struct {\n      " << types.pointer
         << (types.pointer.ends_with("*") ? "data;\n" : " data;\n");
      if (!shape.empty())
        os << formatv("      int64_t sizes[{0}], strides[{0}];\n", shape.size());
      os << formatv("    } {0}; // {1}[{2}]\n", makeField(getString(*capture, "name")),
                    getString(*capture, "type"), llvm::join(shape, ", "));
    }
    os << "  } captures;\n";
  }
  if (auto scalars = getObjects(kernel, "scalars"); !scalars.empty()) {
    os << "  struct {\n";
    for (const json::Object *scalar : scalars) {
      StringRef type = getString(*scalar, "type");
      bool isFloatType = isFloat(parseElementType(type.str()).value_or(ElementType::I64));
      os << formatv("    {0} {1}; // {2}\n", isFloatType ? types.f32 : "int64_t",
                    makeField(getString(*scalar, "name")), type);
    }
    os << "  } scalars;\n";
  }
}

int64_t attnc::countSlots(const json::Object &kernel) {
  std::vector<int64_t> ranks;
  for (const json::Object *capture : getObjects(kernel, "captures"))
    ranks.push_back(static_cast<int64_t>(getStrings(*capture, "shape").size()));
  return ArgumentLayout(static_cast<int64_t>(getStrings(kernel, "extents").size()), ranks,
                        static_cast<int64_t>(getObjects(kernel, "scalars").size()))
      .getNumSlots();
}
