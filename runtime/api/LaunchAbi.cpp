//===- LaunchAbi.cpp - Functions of the C ABI for launches ----------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/api/Handles.h"

using namespace attnc;
using namespace attnc::api;

namespace {
/// What DLPack 1.x has as DLManagedTensorVersioned; the members of its first version stay.
struct VersionedTensor {
  uint32_t major, minor;
  void *managerContext;
  void (*deleter)(VersionedTensor *self);
  uint64_t flags;
  DLTensor tensor;
};
constexpr uint32_t knownMajor = 1;
constexpr uint64_t readOnlyFlag = 1;
} // namespace

const char *attnc_launch_message(const attnc_launch_t *launch) { return getMessageOf(launch); }

attnc_status_t attnc_launch_create(attnc_kernel_t *kernel, attnc_launch_t **launch) {
  if (!kernel || !kernel->isLive)
    return callWith(kernel, [](const Kernel &) { return Result(); });
  return call(kernel->id, [&]() -> Result {
    if (Result failure = checkPointer("launch", launch))
      return failure;
    auto handle = std::make_unique<attnc_launch_t>();
    handle->object = std::make_unique<Launch>(kernel->object);
    *launch = handle.release();
    return std::nullopt;
  });
}

attnc_status_t attnc_launch_release(attnc_launch_t *launch) { return releaseHandle(launch); }

attnc_status_t attnc_launch_set_tensor(attnc_launch_t *launch, const char *name,
                                       const DLTensor *tensor) {
  return callWith(launch, [&](Launch &object) -> Result {
    if (Result failure = checkPointer("name", name))
      return failure;
    if (Result failure = checkPointer(name, tensor))
      return failure;
    return object.setTensor(name, *tensor, /*isReadOnly=*/false);
  });
}

attnc_status_t attnc_launch_set_versioned_tensor(attnc_launch_t *launch, const char *name,
                                                 const struct DLManagedTensorVersioned *tensor) {
  return callWith(launch, [&](Launch &object) -> Result {
    if (Result failure = checkPointer("name", name))
      return failure;
    if (Result failure = checkPointer(name, tensor))
      return failure;
    const auto &versioned = *reinterpret_cast<const VersionedTensor *>(tensor);
    if (versioned.major != knownMajor)
      return invalidArgument("`" + std::string(name) + "`: expected a tensor of version " +
                             std::to_string(knownMajor) + " of DLPack, got " +
                             std::to_string(versioned.major));
    return object.setTensor(name, versioned.tensor, (versioned.flags & readOnlyFlag) != 0);
  });
}

static attnc_status_t setScalar(attnc_launch_t *launch, const char *name,
                                const ScalarValue &value) {
  return callWith(launch, [&](Launch &object) -> Result {
    if (Result failure = checkPointer("name", name))
      return failure;
    return object.setScalar(name, value);
  });
}

attnc_status_t attnc_launch_set_float(attnc_launch_t *launch, const char *name, double value) {
  return setScalar(launch, name, value);
}

attnc_status_t attnc_launch_set_int(attnc_launch_t *launch, const char *name, int64_t value) {
  return setScalar(launch, name, value);
}

attnc_status_t attnc_launch_set_bool(attnc_launch_t *launch, const char *name, int32_t value) {
  return setScalar(launch, name, value != 0);
}

attnc_status_t attnc_launch_prepare(attnc_launch_t *launch) {
  return callWith(launch, [](Launch &object) { return object.prepare(); });
}

/// Calls `body` with a launch that is prepared.
template <typename BodyT>
static attnc_status_t callPrepared(const attnc_launch_t *launch, BodyT body) {
  return callWith(launch, [&](const Launch &object) -> Result {
    if (Result failure = object.checkPrepared())
      return failure;
    return body(object);
  });
}

attnc_status_t attnc_launch_get_variant(const attnc_launch_t *launch, size_t *index) {
  return callPrepared(launch, [&](const Launch &object) -> Result {
    if (Result failure = checkPointer("index", index))
      return failure;
    *index = object.getVariant();
    return std::nullopt;
  });
}

attnc_status_t attnc_launch_get_workspace(const attnc_launch_t *launch, size_t *size,
                                          size_t *alignment) {
  return callPrepared(launch, [&](const Launch &object) -> Result {
    if (Result failure = checkPointer("size", size))
      return failure;
    *size = object.getPlan().workspaceBytes;
    if (alignment)
      *alignment = object.getPlan().workspaceAlignment;
    return std::nullopt;
  });
}

attnc_status_t attnc_launch_set_workspace(attnc_launch_t *launch, void *memory, size_t size) {
  return callWith(launch, [&](Launch &object) { return object.setWorkspace(memory, size); });
}

attnc_status_t attnc_launch_allocate_workspace(attnc_launch_t *launch) {
  return callWith(launch, [](Launch &object) { return object.allocateWorkspace(); });
}

attnc_status_t attnc_launch_run(attnc_launch_t *launch, void *stream) {
  return callWith(launch, [&](const Launch &object) { return object.run(stream); });
}

attnc_status_t attnc_launch_run_part(const attnc_launch_t *launch, int32_t part, int32_t parts) {
  return callWith(launch, [&](const Launch &object) { return object.runPart(part, parts); });
}
