//===- Kernel.cpp - The kernels of a program on a device ------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/api/Kernel.h"
#include "runtime/api/BorrowedTensor.h"

using namespace attnc;
using namespace attnc::api;

/// The names in backticks, with commas.
static std::string listNames(const std::vector<std::string_view> &names) {
  std::string text;
  for (std::string_view name : names)
    text += (text.empty() ? "`" : ", `") + std::string(name) + "`";
  return text;
}

/// Sets `bytes`, which are a package, to the code of `program` in it that is nearest to `device`.
static Result choose(const Device &device, const char *program, std::string_view &bytes) {
  auto fail = [](std::string message) { return Failure{ATTNC_INVALID_KERNEL, std::move(message)}; };
  Package package;
  if (std::optional<std::string> error = Package::read(bytes, package))
    return fail(*error);
  std::vector<std::string_view> programs = package.getPrograms();
  if (!program && programs.size() > 1)
    return invalidArgument("expected the name of one program of the package, which has " +
                           listNames(programs));
  std::string_view name = program ? std::string_view(program) : programs.front();
  std::vector<PackagedCode> codes = package.getCodesOf(name);
  if (codes.empty())
    return invalidArgument("`program`: expected one of the package, which has " +
                           listNames(programs) + ", got `" + std::string(name) + "`");
  const PackagedCode *nearest = nullptr;
  std::optional<int64_t> best;
  for (const PackagedCode &code : codes)
    if (std::optional<int64_t> rating = device.rate(code); rating && (!best || *rating > *best)) {
      nearest = &code;
      best = rating;
    }
  if (!nearest)
    return fail("nothing of `" + std::string(name) + "` is for the device `" + device.getName() +
                "` (" + device.getDescription() + "): the package has " + listCodes(codes));
  if (std::optional<std::string> error = checkDigest(*nearest))
    return fail(*error);
  bytes = nearest->bytes;
  return std::nullopt;
}

Result Kernel::load(std::shared_ptr<Device> device, std::string_view bytes, const char *program,
                    std::shared_ptr<const Kernel> &result) {
  if (isPackage(bytes)) {
    if (Result failure = choose(*device, program, bytes))
      return failure;
  } else if (program) {
    return invalidArgument("`program`: expected NULL for a file that is no package, got `" +
                           std::string(program) + "`");
  }
  auto kernel = std::make_shared<Kernel>();
  kernel->device = std::move(device);
  if (Result failure = kernel->device->load(bytes, kernel->variants))
    return failure;
  for (const std::unique_ptr<Variant> &variant : kernel->variants) {
    kernel->archs.push_back(variant->getArch());
    kernel->arguments.push_back(getArguments(variant->getInfo()));
    for (Argument &argument : kernel->arguments.back())
      for (const std::string &size : argument.shape)
        argument.shapeTexts.push_back(size.c_str());
  }
  result = std::move(kernel);
  return std::nullopt;
}

std::vector<Kernel::Argument> Kernel::getArguments(const KernelInfo &info) {
  std::string d = std::to_string(info.headDim), dv = std::to_string(info.valueDim);
  std::vector<Argument> all = {{"q", ATTNC_INPUT, info.dtype, {"B", "Hq", "Q", d}, {}},
                               {"k", ATTNC_INPUT, info.dtype, {"B", "Hkv", "KV", d}, {}},
                               {"v", ATTNC_INPUT, info.dtype, {"B", "Hkv", "KV", dv}, {}},
                               {"o", ATTNC_OUTPUT, info.dtype, {"B", "Hq", "Q", dv}, {}}};
  if (info.lse)
    all.push_back({"lse", ATTNC_OUTPUT, ElementType::F32, {"B", "Hq", "Q"}, {}});
  for (const CaptureInfo &capture : info.captures) {
    Argument &argument = all.emplace_back();
    argument.name = capture.name;
    argument.kind = ATTNC_CAPTURE;
    argument.type = capture.type;
    for (const SizeExpr &size : capture.shape)
      argument.shape.push_back(size.print());
  }
  for (const ScalarInfo &scalar : info.scalars)
    all.push_back({scalar.name, ATTNC_SCALAR, scalar.type, {}, {}});
  if (!info.scale)
    all.push_back({"scale", ATTNC_SCALAR, ElementType::F32, {}, {}});
  return all;
}

attnc_variant_info_t Kernel::describe(size_t variant) const {
  const KernelInfo &info = variants[variant]->getInfo();
  attnc_variant_info_t result{};
  result.name = info.name.c_str();
  result.arch = archs[variant].c_str();
  result.dtype = getDLDataType(info.dtype);
  result.head_dim = info.headDim;
  result.value_dim = info.valueDim;
  result.has_lse = info.lse;
  result.takes_scale = !info.scale;
  result.scale = info.scale.value_or(0);
  result.argument_count = arguments[variant].size();
  return result;
}

attnc_argument_info_t Kernel::describeArgument(size_t variant, size_t index) const {
  const Argument &argument = arguments[variant][index];
  attnc_argument_info_t result{};
  result.name = argument.name.c_str();
  result.kind = argument.kind;
  result.layout = argument.kind == ATTNC_SCALAR ? ATTNC_LAYOUT_NONE : ATTNC_LAYOUT_STRIDED;
  result.dtype = getDLDataType(argument.type);
  result.rank = static_cast<int32_t>(argument.shape.size());
  result.shape = argument.shape.empty() ? nullptr : argument.shapeTexts.data();
  return result;
}

std::optional<size_t> Kernel::findVariant(ElementType dtype, int64_t headDim,
                                          int64_t valueDim) const {
  for (size_t i = 0; i < variants.size(); ++i) {
    const KernelInfo &info = variants[i]->getInfo();
    if (info.dtype == dtype && info.headDim == headDim && info.valueDim == valueDim)
      return i;
  }
  return std::nullopt;
}

std::string Kernel::listVariants() const {
  std::string text;
  for (const std::unique_ptr<Variant> &variant : variants) {
    const KernelInfo &info = variant->getInfo();
    text += (text.empty() ? "" : "; ") + getName(info.dtype) + " with head dims " +
            std::to_string(info.headDim) + " and " + std::to_string(info.valueDim);
  }
  return text;
}
