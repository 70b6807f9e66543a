//===- CompilerAbi.cpp - The compiler as a C library ----------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/compiler.h"
#include "compiler/Driver/AttncOptions.h"
#include "compiler/Driver/Compilation.h"
#include "runtime/api/Structs.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>

using namespace attnc;
using namespace attnc::api;
using namespace attnc::driver;
using llvm::StringRef;

namespace {
/// What attnc_code_t points into.
struct Code {
  std::string bytes, messages;
};
} // namespace

/// The option of attnc for `products` of a source; null if there is none.
static const char *getProductOption(StringRef products) {
  return products == "tf32" ? "--tf32" : products == "tf32x3" ? "--tf32x3" : nullptr;
}

/// Copies what the caller has filled.
static Result readSource(const attnc_source_t *given, const char *target, attnc_source_t &source) {
  if (Result failure = checkPointer("source", given))
    return failure;
  if (Result failure = readStruct("source", given, source))
    return failure;
  if (!source.text)
    return invalidArgument("`text`: expected a program, got NULL");
  if (!source.defines && source.define_count > 0)
    return invalidArgument("`defines`: expected " + std::to_string(source.define_count) +
                           " texts, got NULL");
  for (size_t i = 0; i < source.define_count; ++i)
    if (!source.defines[i])
      return invalidArgument("`defines`: expected texts, got NULL at " + std::to_string(i));
  if (source.products && getProductOption(source.products) == nullptr)
    return invalidArgument("`products`: expected \"tf32\" or \"tf32x3\", got `" +
                           std::string(source.products) + "`");
  if (!target)
    return invalidArgument("`target`: expected a name, got NULL");
  return std::nullopt;
}

/// `gpu:8.6`, or nothing for another text.
static std::optional<std::pair<int, int>> parseCapability(StringRef text) {
  int major = 0, minor = 0;
  auto [left, right] = text.split('.');
  if (!left.consume_front("gpu:") || left.getAsInteger(10, major) || right.getAsInteger(10, minor))
    return std::nullopt;
  return std::pair(major, minor);
}

/// The words of a command line of attnc that asks for the same.
static std::variant<std::vector<std::string>, Failure> makeWords(const attnc_source_t &source,
                                                                 StringRef target) {
  std::vector<std::string> words = {"program.attn", "-o", "-"};
  auto add = [&](const char *option, const char *value) {
    if (value)
      words.insert(words.end(), {option, value});
  };
  StringRef cpu = target;
  if (cpu.consume_front("host:"))
    words.insert(words.end(), {"--arch", "host", "--cpu", cpu.str()});
  else if (std::optional<std::pair<int, int>> capability = parseCapability(target)) {
    llvm::Expected<PtxTarget> gpu = PtxTarget::getForGpu(capability->first, capability->second);
    if (!gpu)
      return Failure{ATTNC_UNAVAILABLE, llvm::toString(gpu.takeError())};
    words.insert(words.end(), {"--arch", gpu->arch});
  } else if (target == "host") {
    words.insert(words.end(), {"--arch", "host", "--cpu", "native"});
  } else if (target != "attn") {
    words.insert(words.end(), {"--arch", target.str()});
  }
  words.push_back(target == "attn"             ? "--emit=attn"
                  : target.starts_with("host") ? "--emit=image"
                                               : "--emit=ptx");
  add("--dtype", source.dtypes);
  add("--head-dim", source.head_dims);
  add("--approx", source.approximate);
  if (source.lse)
    words.push_back("--lse");
  // The form of a program is the same with any products.
  if (source.products && target != "attn")
    words.push_back(getProductOption(source.products));
  for (size_t i = 0; i < source.define_count; ++i)
    add("-D", source.defines[i]);
  return words;
}

/// The status of an error that the driver ends with.
static attnc_status_t getStatus(ExitStatus status) {
  switch (status) {
  case BadUsage:
    return ATTNC_INVALID_ARGUMENT;
  case Environment:
    return ATTNC_UNAVAILABLE;
  case InternalError:
    return ATTNC_INTERNAL;
  default:
    return ATTNC_COMPILE_FAILED;
  }
}

static Result compile(const attnc_source_t &source, StringRef target, Code &code) {
  auto words = makeWords(source, target);
  if (auto *failure = std::get_if<Failure>(&words))
    return *failure;
  AttncOptions options;
  if (std::optional<std::string> error =
          parseAttncOptions(std::get<std::vector<std::string>>(words), options))
    return invalidArgument(*error);
  size_t size = source.text_size ? source.text_size : std::strlen(source.text);
  StageTimes times;
  Compilation compilation(times);
  std::optional<RunError> error =
      compilation.readText(source.name ? source.name : "attn.attn", std::string(source.text, size));
  if (!error) {
    if (source.products && target.starts_with("host"))
      return Failure{ATTNC_UNAVAILABLE, "`products`: expected a GPU for `" +
                                            std::string(source.products) + "`, got the host"};
    if (std::optional<std::string> wrong = options.tf32.checkDtypes(options.compile.dtypes))
      return invalidArgument(*wrong);
    llvm::Expected<std::vector<Target>> targets =
        chooseTargets(options, std::nullopt, /*isForOneCpu=*/true);
    if (!targets)
      return invalidArgument(llvm::toString(targets.takeError()));
    llvm::SmallVector<char, 0> bytes;
    llvm::raw_svector_ostream os(bytes);
    error = compilation.write(*options.emit, options.compile, targets->front(), os);
    code.bytes = os.str().str();
  }
  llvm::raw_string_ostream messages(code.messages);
  compilation.getDiagnostics().printText(messages);
  if (!error)
    return std::nullopt;
  return Failure{getStatus(error->status), code.messages + error->message};
}

uint32_t attnc_compiler_abi_version(void) { return ATTNC_ABI_VERSION; }

attnc_status_t attnc_compile(const attnc_source_t *source, const char *target,
                             attnc_code_t *result) {
  if (!result || result->struct_size < sizeof(attnc_code_t))
    return ATTNC_INVALID_ARGUMENT;
  auto *code = new Code;
  attnc_source_t copy;
  Result failure = readSource(source, target, copy);
  if (!failure)
    failure = compile(copy, target, *code);
  if (failure)
    code->messages = failure->message;
  result->owner = code;
  result->bytes = failure ? nullptr : code->bytes.data();
  result->size = failure ? 0 : code->bytes.size();
  result->messages = code->messages.c_str();
  return failure ? failure->status : ATTNC_OK;
}

void attnc_code_release(attnc_code_t *code) {
  if (!code || code->struct_size < sizeof(attnc_code_t))
    return;
  delete static_cast<Code *>(code->owner);
  code->owner = nullptr;
  code->bytes = nullptr;
  code->size = 0;
  code->messages = "";
}
