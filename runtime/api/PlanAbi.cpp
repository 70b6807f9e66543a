//===- PlanAbi.cpp - Functions of the C ABI for plans ---------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/api/Handles.h"

using namespace attnc;
using namespace attnc::api;

const char *attnc_plan_message(const attnc_plan_t *plan) { return getMessageOf(plan); }

/// Gives the caller a handle of `plan`.
static void giveHandle(Plan plan, attnc_plan_t **result) {
  auto handle = std::make_unique<attnc_plan_t>();
  handle->object = std::make_shared<const Plan>(std::move(plan));
  *result = handle.release();
}

attnc_status_t attnc_plan_create(const attnc_launch_t *launch, const attnc_plan_options_t *options,
                                 attnc_plan_t **plan) {
  return callWith(launch, [&](const Launch &object) -> Result {
    if (Result failure = checkPointer("plan", plan))
      return failure;
    attnc_plan_options_t copy;
    if (Result failure = readStruct("options", options, copy))
      return failure;
    Plan made;
    if (Result failure = object.makePlan(copy, made))
      return failure;
    giveHandle(std::move(made), plan);
    return std::nullopt;
  });
}

attnc_status_t attnc_plan_load(const char *path, attnc_plan_t **plan) {
  return call(0, [&]() -> Result {
    if (Result failure = checkPointer("path", path))
      return failure;
    if (Result failure = checkPointer("plan", plan))
      return failure;
    Plan loaded;
    if (std::optional<std::string> error = loadPlan(path, loaded))
      return Failure{ATTNC_UNAVAILABLE, *error};
    giveHandle(std::move(loaded), plan);
    return std::nullopt;
  });
}

attnc_status_t attnc_plan_save(const attnc_plan_t *plan, const char *path) {
  return callWith(plan, [&](const Plan &object) -> Result {
    if (Result failure = checkPointer("path", path))
      return failure;
    if (std::optional<std::string> error = savePlan(object, path))
      return Failure{ATTNC_UNAVAILABLE, *error};
    return std::nullopt;
  });
}

attnc_status_t attnc_plan_release(attnc_plan_t *plan) { return releaseHandle(plan); }

attnc_status_t attnc_plan_get_info(const attnc_plan_t *plan, attnc_plan_info_t *info) {
  return callWith(plan, [&](const Plan &object) {
    PlanStatistics statistics = object.count(KernelInfo());
    attnc_plan_info_t value{};
    value.block_queries = object.rows;
    value.block_keys = object.keys;
    value.batches = object.B;
    value.heads = object.Hq;
    value.queries = object.Q;
    value.keys = object.KV;
    value.per_batch = object.perBatch;
    value.per_head = object.perHead;
    value.full = statistics.full;
    value.partial = statistics.partial;
    value.empty = statistics.empty;
    value.sparsity = statistics.getSparsity();
    value.pairs = statistics.pairs;
    value.bytes = object.getNumBytes();
    return writeStruct("info", value, info);
  });
}

/// Calls `body` with the plan behind a handle that is an argument of a call with another.
template <typename BodyT> static Result withPlan(const attnc_plan_t *plan, BodyT body) {
  if (!plan)
    return invalidArgument("`plan`: expected a handle, got NULL");
  if (!plan->isLive)
    return invalidArgument("`plan`: expected a handle, got one that was released");
  return body(plan->object);
}

attnc_status_t attnc_launch_set_plan(attnc_launch_t *launch, const attnc_plan_t *plan) {
  return callWith(launch, [&](Launch &object) -> Result {
    if (!plan)
      return object.setPlan(nullptr);
    return withPlan(plan,
                    [&](const std::shared_ptr<const Plan> &keys) { return object.setPlan(keys); });
  });
}

attnc_status_t attnc_launch_verify_plan(const attnc_launch_t *launch, const attnc_plan_t *plan) {
  return callWith(launch, [&](const Launch &object) -> Result {
    return withPlan(
        plan, [&](const std::shared_ptr<const Plan> &keys) { return object.verifyPlan(*keys); });
  });
}
