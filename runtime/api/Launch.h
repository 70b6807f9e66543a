//===- Launch.h - A kernel with its arguments -------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_API_LAUNCH_H
#define RUNTIME_API_LAUNCH_H

#include "attnc/LaunchTensors.h"
#include "runtime/api/Kernel.h"
#include <set>
#include <string>

namespace attnc::api {

/// What attnc_launch_t stands for. For one thread at a time, but for runPart.
class Launch {
public:
  explicit Launch(std::shared_ptr<const Kernel> kernel) : kernel(std::move(kernel)) {}
  Launch(const Launch &) = delete;
  Launch &operator=(const Launch &) = delete;
  ~Launch();

  Result setTensor(std::string_view name, const DLTensor &tensor, bool isReadOnly);
  Result setScalar(std::string_view name, ScalarValue value);

  Result prepare();
  /// An error if it is not prepared.
  Result checkPrepared() const;
  size_t getVariant() const { return variant; }
  const LaunchPlan &getPlan() const { return plan; }

  /// Makes a plan for this launch, which is prepared. Sizes of blocks that are 0 are those that the
  /// launch takes.
  Result makePlan(const attnc_plan_options_t &options, Plan &result) const;
  /// Has the launch visit the keys of `newKeys` alone; null for all that the mask leaves.
  Result setPlan(std::shared_ptr<const Plan> newKeys);
  /// An error if the plan does not fit this launch, which is prepared, or is wrong about a pair.
  Result verifyPlan(const Plan &given) const;

  Result setWorkspace(void *memory, size_t size);
  Result allocateWorkspace();

  Result run(void *stream) const;
  Result runPart(int32_t part, int32_t parts) const;

private:
  /// Whether a kernel of the file has the tensor or scalar `name`; else what it might be.
  Result findTensor(std::string_view name) const;
  Result findScalar(std::string_view name) const;
  bool isName(std::string_view name, bool scalars) const;
  std::vector<std::string> getNames(bool scalars) const;

  /// The tensor `name` among the arguments.
  TensorView &getArgument(std::string_view name);
  /// Takes a tensor like the one that a prepared launch has; false if it is another.
  bool replaceTensor(std::string_view name, const DLTensor &tensor, Result &result);
  /// The same for a scalar.
  bool replaceScalar(std::string_view name, const ScalarValue &value, Result &result);
  /// Asks for prepare() again.
  void unprepare();
  /// An error if the plan that was set is none for these arguments.
  Result checkKeys(size_t index, const BoundArguments &arguments) const;
  Result chooseVariant(size_t &index) const;
  Result checkRunnable() const;
  /// What makes and checks plans; an error on other devices than the host.
  Result findPlanner(size_t index, std::optional<Variant::Planner> &planner) const;
  void releaseOwned();

  std::shared_ptr<const Kernel> kernel;
  LaunchArguments arguments;
  std::set<std::string> given; ///< names of tensors
  std::shared_ptr<const Plan> keys;

  bool prepared = false; ///< what follows is for the arguments
  size_t variant = 0;
  BoundArguments bound;
  size_t firstScalarSlot = 0;
  LaunchPlan plan;
  std::vector<LaunchTensor> tensors;

  void *workspace = nullptr;
  size_t workspaceBytes = 0;
  void *owned = nullptr; ///< workspace that this has allocated
};

} // namespace attnc::api

#endif // RUNTIME_API_LAUNCH_H
