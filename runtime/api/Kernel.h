//===- Kernel.h - The kernels of a program on a device ----------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_API_KERNEL_H
#define RUNTIME_API_KERNEL_H

#include "runtime/api/Device.h"

namespace attnc::api {

/// What attnc_kernel_t stands for; does not change once it is loaded.
class Kernel {
public:
  /// Loads all kernels in `bytes`; of a package, those of `program` (null: of the only one) that
  /// are nearest to the device.
  static Result load(std::shared_ptr<Device> device, std::string_view bytes, const char *program,
                     std::shared_ptr<const Kernel> &kernel);

  Device &getDevice() const { return *device; }
  size_t getNumVariants() const { return variants.size(); }
  const Variant &getVariant(size_t index) const { return *variants[index]; }

  attnc_variant_info_t describe(size_t variant) const;
  size_t getNumArguments(size_t variant) const { return arguments[variant].size(); }
  attnc_argument_info_t describeArgument(size_t variant, size_t index) const;

  /// The index of the variant for these, or nothing.
  std::optional<size_t> findVariant(ElementType dtype, int64_t headDim, int64_t valueDim) const;
  /// "bf16 with head dims 64 and 64; f16 with ...".
  std::string listVariants() const;

private:
  /// An argument with its texts as C has them.
  struct Argument {
    std::string name;
    attnc_argument_kind_t kind;
    ElementType type;
    std::vector<std::string> shape;
    std::vector<const char *> shapeTexts;
  };

  static std::vector<Argument> getArguments(const KernelInfo &info);

  std::shared_ptr<Device> device;
  std::vector<std::unique_ptr<Variant>> variants;
  std::vector<std::string> archs;
  std::vector<std::vector<Argument>> arguments; ///< of each variant
};

} // namespace attnc::api

#endif // RUNTIME_API_KERNEL_H
