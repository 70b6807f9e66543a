//===- Handles.h - Handles of the C ABI, and their messages -----*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_API_HANDLES_H
#define RUNTIME_API_HANDLES_H

#include "runtime/api/Device.h"
#include "runtime/api/Kernel.h"
#include "runtime/api/KernelCache.h"
#include "runtime/api/Launch.h"
#include "runtime/api/Structs.h"
#include <atomic>
#include <cstring>
#include <new>

namespace attnc::api {

/// What a handle points at. It outlives its release for a while, so that later uses are seen.
struct HandleState {
  std::atomic<bool> isLive{true};
  uint64_t id; ///< of no other handle of this process

  HandleState();
};

/// Notes why a call of this thread with the handle `id` failed, or without one where that is 0, and
/// gives the status.
attnc_status_t keepMessage(uint64_t id, const Failure &failure);
/// What was noted last, or "".
const char *getMessage(uint64_t id);

/// Keeps what a released handle points at for a while.
void retire(std::unique_ptr<attnc_device_t> handle);
void retire(std::unique_ptr<attnc_kernel_t> handle);
void retire(std::unique_ptr<attnc_launch_t> handle);
void retire(std::unique_ptr<attnc_plan_t> handle);

} // namespace attnc::api

struct attnc_device_t : attnc::api::HandleState {
  static constexpr const char *name = "device";
  std::shared_ptr<attnc::api::Device> object;
  attnc::api::KernelCache cache; ///< goes with the handle
};
struct attnc_kernel_t : attnc::api::HandleState {
  static constexpr const char *name = "kernel";
  std::shared_ptr<const attnc::api::Kernel> object;
};
struct attnc_launch_t : attnc::api::HandleState {
  static constexpr const char *name = "launch";
  std::unique_ptr<attnc::api::Launch> object;
};
struct attnc_plan_t : attnc::api::HandleState {
  static constexpr const char *name = "plan";
  std::shared_ptr<const attnc::Plan> object;
};

namespace attnc::api {

/// Runs the body of a call without a handle.
template <typename BodyT> attnc_status_t call(uint64_t id, BodyT body) noexcept {
  try {
    Result failure = body();
    return failure ? keepMessage(id, *failure) : ATTNC_OK;
  } catch (const std::bad_alloc &) {
    return keepMessage(id, {ATTNC_OUT_OF_MEMORY, "out of memory"});
  } catch (const std::exception &error) {
    return keepMessage(
        id, {ATTNC_INTERNAL, std::string("internal error, please report: ") + error.what()});
  } catch (...) {
    return keepMessage(id, {ATTNC_INTERNAL, "an exception of another kind has left a callback"});
  }
}

/// Runs the body of a call with `handle`.
template <typename HandleT, typename BodyT>
attnc_status_t callWith(HandleT *handle, BodyT body) noexcept {
  if (!handle)
    return call(0, [] {
      return Result(invalidArgument("`" + std::string(HandleT::name) +
                                    "`: expected a handle, got "
                                    "NULL"));
    });
  if (!handle->isLive)
    return call(0, [] {
      return Result(invalidArgument("`" + std::string(HandleT::name) +
                                    "`: expected a handle, got one that was released"));
    });
  return call(handle->id, [&] { return body(*handle->object); });
}

/// The message for `handle`, or for none.
template <typename HandleT> const char *getMessageOf(const HandleT *handle) noexcept {
  return getMessage(handle && handle->isLive ? handle->id : 0);
}

/// Releases `handle`.
template <typename HandleT> attnc_status_t releaseHandle(HandleT *handle) noexcept {
  if (!handle)
    return ATTNC_OK;
  if (!handle->isLive.exchange(false))
    return call(0, [] {
      return Result(invalidArgument("`" + std::string(HandleT::name) +
                                    "`: expected a handle, got one that was released"));
    });
  return call(0, [&] {
    handle->object.reset();
    if constexpr (std::is_same_v<HandleT, attnc_device_t>)
      handle->cache.clear();
    retire(std::unique_ptr<HandleT>(handle));
    return Result();
  });
}

} // namespace attnc::api

#endif // RUNTIME_API_HANDLES_H
