//===- GoldenCheck.cpp - Golden cases on the GPU ----------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "test/bench/gpu/GoldenCheck.h"
#include "compiler/Driver/BoundProgram.h"
#include "runtime/safetensors/Safetensors.h"
#include "test/bench/gpu/LoadedProgram.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace attnc;
using namespace attnc::bench;
namespace json = llvm::json;

/// A scalar of the language as the command line has it.
static std::string printScalar(const json::Value &value) {
  if (std::optional<bool> flag = value.getAsBoolean())
    return *flag ? "True" : "False";
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

static ScalarValue getScalar(const json::Value &value) {
  if (std::optional<bool> flag = value.getAsBoolean())
    return *flag;
  if (std::optional<int64_t> integer = value.getAsInteger())
    return *integer;
  return value.getAsNumber().value_or(0);
}

static std::vector<int64_t> getSizes(const json::Object &view, llvm::StringRef key) {
  std::vector<int64_t> sizes;
  if (const json::Array *values = view.getArray(key))
    for (const json::Value &value : *values)
      sizes.push_back(value.getAsInteger().value_or(0));
  return sizes;
}

static double getLimit(const json::Object &tolerance) {
  return 2 * tolerance.getNumber("err_unfused").value_or(0) +
         tolerance.getNumber("floor").value_or(0);
}

llvm::Expected<GoldenCase> GoldenCase::read(const std::string &folder) {
  std::string path = folder + "/case.json";
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError(path + ": cannot read: " + buffer.getError().message());
  llvm::Expected<json::Value> value = json::parse((*buffer)->getBuffer());
  if (!value)
    return llvm::createStringError(path + ": " + llvm::toString(value.takeError()));
  const json::Object *spec = value->getAsObject();
  const json::Object *tolerance = spec ? spec->getObject("tolerance") : nullptr;
  const json::Object *lse = tolerance ? tolerance->getObject("lse") : nullptr;
  if (!lse)
    return llvm::createStringError(path + ": expected an object with `tolerance` and its `lse`");
  GoldenCase result;
  result.limit = getLimit(*tolerance);
  result.lseLimit = getLimit(*lse);
  driver::RunOptions &options = result.options;
  options.program = folder + "/" + spec->getString("attn").value_or("variant.attn").str();
  options.in = folder + "/tensors.safetensors";
  options.lse = true;
  if (const json::Object *defines = spec->getObject("defines"))
    for (const auto &[name, define] : *defines)
      options.defines.emplace_back(name.str(), printScalar(define));
  if (const json::Object *scalars = spec->getObject("scalars"))
    for (const auto &[name, scalar] : *scalars)
      options.scalars[name.str()] = getScalar(scalar);
  if (const json::Object *layout = spec->getObject("layout"))
    for (const auto &[name, entry] : *layout)
      if (const json::Object *view = entry.getAsObject())
        options.views[name.str()] = {view->getString("stored").value_or("").str(),
                                     getSizes(*view, "shape"), getSizes(*view, "strides"),
                                     view->getInteger("offset").value_or(0)};
  return result;
}

llvm::Expected<std::vector<std::string>> bench::findGoldens(const std::string &folder,
                                                            const std::string &only) {
  std::vector<std::string> cases;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (llvm::sys::path::filename(entry->path()).contains(only) &&
        llvm::sys::fs::exists(entry->path() + "/case.json"))
      cases.push_back(entry->path());
  if (error)
    return llvm::createStringError(folder + ": cannot read: " + error.message());
  if (cases.empty())
    return llvm::createStringError(folder + ": expected golden cases" +
                                   (only.empty() ? "" : " with `" + only + "` in their name") +
                                   ", found none");
  llvm::sort(cases);
  return cases;
}

bool GoldenResult::passes() const {
  return error.empty() &&
         llvm::all_of(outputs, [](const driver::OutputCheck &output) { return output.passes(); });
}

/// Fills an output with NaN, so that what the kernel leaves out shows.
static void poison(const TensorView &output) {
  if (size_t bytes = static_cast<size_t>(getNumBytes(output)))
    std::memset(output.data, 0xff, bytes);
}

/// Adds the comparison of an output with `name`_ref of the case. Returns what is wrong with that.
static std::optional<std::string> compare(const safetensors::Reader &file, const std::string &name,
                                          const TensorView &output, double limit,
                                          std::vector<driver::OutputCheck> &checks) {
  const safetensors::Entry *entry = file.find(name + "_ref");
  if (!entry || entry->getElementType() != ElementType::F32 || entry->shape != output.sizes)
    return "expected `" + name + "_ref` of f32 with the shape of `" + name + "`";
  std::vector<float> expected((entry->end - entry->begin) / sizeof(float));
  if (auto error = file.read(*entry, reinterpret_cast<char *>(expected.data())))
    return error->message;
  checks.push_back(driver::compareOutput(name, output, expected, limit));
  return std::nullopt;
}

GoldenResult bench::checkGolden(const std::string &folder, const cuda::Gpu &gpu,
                                const driver::Target &target) {
  GoldenResult result;
  result.name = llvm::sys::path::filename(folder).str();
  auto fail = [&](const std::string &message) {
    result.error = message;
    return result;
  };
  llvm::Expected<GoldenCase> golden = GoldenCase::read(folder);
  if (!golden)
    return fail(llvm::toString(golden.takeError()));
  const std::string &path = golden->options.program;
  driver::StageTimes times;
  driver::BoundProgram program(golden->options, times);
  if (auto error = program.prepare(target)) {
    llvm::raw_string_ostream os(result.error);
    os << error->message;
    program.getDiagnostics().printText(os, /*colors=*/false);
    return result;
  }
  const LaunchArguments &arguments = program.getArguments();
  poison(arguments.o);
  poison(*arguments.lse);
  cuda::CudaKernel kernel(gpu);
  if (auto error = loadProgram(program.getModule(), target, program.getDiagnostics(), kernel))
    return fail(path + ": " + *error);
  cuda::CudaLaunch launch(kernel);
  if (auto error = launch.prepare(program.getBound()))
    return fail(path + ": " + *error);
  if (auto error = launch.start())
    return fail(path + ": " + *error);
  if (auto error = launch.readOutputs())
    return fail(path + ": " + *error);
  safetensors::Reader file;
  if (auto error = file.open(golden->options.in))
    return fail(error->message);
  if (auto error = compare(file, "o", arguments.o, golden->limit, result.outputs))
    return fail(golden->options.in + ": " + *error);
  if (auto error = compare(file, "lse", *arguments.lse, golden->lseLimit, result.outputs))
    return fail(golden->options.in + ": " + *error);
  return result;
}
