//===- KernelAbi.cpp - Functions of the C ABI for kernels -----------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/api/FileBytes.h"
#include "runtime/api/Handles.h"

using namespace attnc;
using namespace attnc::api;

/// An error if there are not so many of something.
static Result checkIndex(const char *name, size_t index, size_t count) {
  if (index < count)
    return std::nullopt;
  return invalidArgument("`" + std::string(name) + "`: expected a number below " +
                         std::to_string(count) + ", got " + std::to_string(index));
}

static Result loadKernel(Device &device, std::string_view bytes, const char *program,
                         attnc_kernel_t **kernel) {
  auto handle = std::make_unique<attnc_kernel_t>();
  if (Result failure = Kernel::load(device.shared_from_this(), bytes, program, handle->object))
    return failure;
  *kernel = handle.release();
  return std::nullopt;
}

/// Loads the kernels of `program` in a file; null for the only program.
static Result loadFile(Device &device, const char *path, const char *program,
                       attnc_kernel_t **kernel) {
  if (Result failure = checkPointer("path", path))
    return failure;
  if (Result failure = checkPointer("kernel", kernel))
    return failure;
  FileBytes file;
  if (Result failure = file.open(path))
    return failure;
  Result failure = loadKernel(device, file.get(), program, kernel);
  bool isOfFile = failure && (failure->status == ATTNC_INVALID_KERNEL ||
                              failure->status == ATTNC_INVALID_ARGUMENT);
  if (isOfFile)
    failure->message = std::string(path) + ": " + failure->message;
  return failure;
}

const char *attnc_kernel_message(const attnc_kernel_t *kernel) { return getMessageOf(kernel); }

attnc_status_t attnc_kernel_load(attnc_device_t *device, const void *bytes, size_t size,
                                 attnc_kernel_t **kernel) {
  return callWith(device, [&](Device &object) -> Result {
    if (Result failure = checkPointer("bytes", bytes))
      return failure;
    if (Result failure = checkPointer("kernel", kernel))
      return failure;
    return loadKernel(object, {static_cast<const char *>(bytes), size}, /*program=*/nullptr,
                      kernel);
  });
}

attnc_status_t attnc_kernel_load_file(attnc_device_t *device, const char *path,
                                      attnc_kernel_t **kernel) {
  return callWith(
      device, [&](Device &object) { return loadFile(object, path, /*program=*/nullptr, kernel); });
}

attnc_status_t attnc_kernel_load_program(attnc_device_t *device, const char *path,
                                         const char *program, attnc_kernel_t **kernel) {
  return callWith(device, [&](Device &object) -> Result {
    if (Result failure = checkPointer("program", program))
      return failure;
    return loadFile(object, path, program, kernel);
  });
}

static Result compileKernel(attnc_device_t &device, const attnc_source_t *source,
                            attnc_kernel_t **kernel) {
  if (Result failure = checkPointer("source", source))
    return failure;
  if (Result failure = checkPointer("kernel", kernel))
    return failure;
  // The cache knows the struct of this header.
  attnc_source_t whole;
  if (source->struct_size == firstBytes<attnc_source_t>) {
    if (Result failure = readStruct("source", source, whole))
      return failure;
    source = &whole;
  }
  auto handle = std::make_unique<attnc_kernel_t>();
  if (Result failure = device.cache.compile(*device.object, *source, handle->object))
    return failure;
  *kernel = handle.release();
  return std::nullopt;
}

attnc_status_t attnc_kernel_compile(attnc_device_t *device, const attnc_source_t *source,
                                    attnc_kernel_t **kernel) {
  return callWith(device, [&](Device &) { return compileKernel(*device, source, kernel); });
}

/// Makes a kernel on the first device of a list that can.
template <typename MakeT>
static attnc_status_t makeOnDevice(const char *devices, const attnc_device_options_t *options,
                                   attnc_device_t **device, attnc_kernel_t **kernel, MakeT make) {
  return call(0, [&]() -> Result {
    if (Result failure = checkPointer("devices", devices))
      return failure;
    if (Result failure = checkPointer("device", device))
      return failure;
    if (Result failure = checkPointer("kernel", kernel))
      return failure;
    attnc_device_options_t copy;
    if (Result failure = readStruct("options", options, copy))
      return failure;
    std::unique_ptr<attnc_device_t> handle;
    attnc_kernel_t *made = nullptr;
    std::shared_ptr<Device> taken;
    auto tryOne = [&](const std::shared_ptr<Device> &candidate) {
      handle = std::make_unique<attnc_device_t>();
      handle->object = candidate;
      return make(*handle, &made);
    };
    if (Result failure = Device::open(devices, copy, taken, tryOne))
      return failure;
    *device = handle.release();
    *kernel = made;
    return std::nullopt;
  });
}

attnc_status_t attnc_kernel_compile_on(const char *devices, const attnc_device_options_t *options,
                                       const attnc_source_t *source, attnc_device_t **device,
                                       attnc_kernel_t **kernel) {
  return makeOnDevice(devices, options, device, kernel,
                      [&](attnc_device_t &handle, attnc_kernel_t **made) -> Result {
                        return compileKernel(handle, source, made);
                      });
}

attnc_status_t attnc_kernel_load_file_on(const char *devices, const attnc_device_options_t *options,
                                         const char *path, const char *program,
                                         attnc_device_t **device, attnc_kernel_t **kernel) {
  return makeOnDevice(devices, options, device, kernel,
                      [&](attnc_device_t &handle, attnc_kernel_t **made) {
                        return loadFile(*handle.object, path, program, made);
                      });
}

attnc_status_t attnc_kernel_release(attnc_kernel_t *kernel) { return releaseHandle(kernel); }

attnc_status_t attnc_kernel_get_variant_count(const attnc_kernel_t *kernel, size_t *count) {
  return callWith(kernel, [&](const Kernel &object) -> Result {
    if (Result failure = checkPointer("count", count))
      return failure;
    *count = object.getNumVariants();
    return std::nullopt;
  });
}

attnc_status_t attnc_kernel_get_variant(const attnc_kernel_t *kernel, size_t index,
                                        attnc_variant_info_t *info) {
  return callWith(kernel, [&](const Kernel &object) -> Result {
    if (Result failure = checkIndex("index", index, object.getNumVariants()))
      return failure;
    return writeStruct("info", object.describe(index), info);
  });
}

attnc_status_t attnc_kernel_get_argument(const attnc_kernel_t *kernel, size_t variant, size_t index,
                                         attnc_argument_info_t *info) {
  return callWith(kernel, [&](const Kernel &object) -> Result {
    if (Result failure = checkIndex("variant", variant, object.getNumVariants()))
      return failure;
    if (Result failure = checkIndex("index", index, object.getNumArguments(variant)))
      return failure;
    return writeStruct("info", object.describeArgument(variant, index), info);
  });
}
