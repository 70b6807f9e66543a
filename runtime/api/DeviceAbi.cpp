//===- DeviceAbi.cpp - Functions of the C ABI for devices -----------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/api/Handles.h"

using namespace attnc;
using namespace attnc::api;

uint32_t attnc_abi_version(void) { return ATTNC_ABI_VERSION; }

const char *attnc_version(void) { return ATTNC_VERSION; }

const char *attnc_status_name(int32_t status) {
  switch (status) {
  case ATTNC_OK:
    return "ATTNC_OK";
  case ATTNC_INVALID_ARGUMENT:
    return "ATTNC_INVALID_ARGUMENT";
  case ATTNC_INVALID_KERNEL:
    return "ATTNC_INVALID_KERNEL";
  case ATTNC_COMPILE_FAILED:
    return "ATTNC_COMPILE_FAILED";
  case ATTNC_UNAVAILABLE:
    return "ATTNC_UNAVAILABLE";
  case ATTNC_OUT_OF_MEMORY:
    return "ATTNC_OUT_OF_MEMORY";
  case ATTNC_DEVICE_FAILED:
    return "ATTNC_DEVICE_FAILED";
  case ATTNC_INTERNAL:
    return "ATTNC_INTERNAL";
  }
  return nullptr;
}

const char *attnc_device_message(const attnc_device_t *device) { return getMessageOf(device); }

attnc_status_t attnc_device_open(const char *name, const attnc_device_options_t *options,
                                 attnc_device_t **device) {
  return call(0, [&]() -> Result {
    if (Result failure = checkPointer("name", name))
      return failure;
    if (Result failure = checkPointer("device", device))
      return failure;
    attnc_device_options_t copy;
    if (Result failure = readStruct("options", options, copy))
      return failure;
    auto handle = std::make_unique<attnc_device_t>();
    if (Result failure = Device::open(name, copy, handle->object))
      return failure;
    *device = handle.release();
    return std::nullopt;
  });
}

attnc_status_t attnc_device_release(attnc_device_t *device) { return releaseHandle(device); }

attnc_status_t attnc_device_get_info(const attnc_device_t *device, attnc_device_info_t *info) {
  return callWith(device, [&](const Device &object) {
    attnc_device_info_t value = object.getInfo();
    value.name = object.getName().c_str();
    value.description = object.getDescription().c_str();
    value.passed_over = object.getPassedOver().c_str();
    return writeStruct("info", value, info);
  });
}
