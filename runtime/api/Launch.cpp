//===- Launch.cpp - A kernel with its arguments ---------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/api/Launch.h"
#include "attnc/ArgumentLayout.h"
#include "attnc/NearestName.h"
#include "runtime/ScalarSlot.h"
#include "runtime/api/BorrowedTensor.h"
#include "runtime/api/Overlap.h"
#include <algorithm>
#include <cmath>

using namespace attnc;
using namespace attnc::api;

static std::string quote(std::string_view text) { return "`" + std::string(text) + "`"; }

static bool isOutputName(std::string_view name) { return name == "o" || name == "lse"; }

/// An error about `name`.
static Failure about(std::string_view name, const Failure &failure) {
  return {failure.status, quote(name) + ": " + failure.message};
}

/// Outputs share no element with what is read, nor with each other.
static Result checkOverlaps(const std::vector<LaunchTensor> &tensors) {
  for (const LaunchTensor &output : tensors)
    for (const LaunchTensor &other : tensors) {
      bool isPair = output.isOutput && (!other.isOutput || &output < &other);
      if (isPair && mayOverlap(output.view, other.view))
        return invalidArgument(quote(output.name) + ": expected memory of its own, as it is " +
                               "written, got elements that " + quote(other.name) + " has too");
    }
  return std::nullopt;
}

Launch::~Launch() { releaseOwned(); }

void Launch::releaseOwned() {
  if (!owned)
    return;
  kernel->getDevice().release(owned);
  if (workspace == owned) {
    workspace = nullptr;
    workspaceBytes = 0;
  }
  owned = nullptr;
}

//===------------------------------------------------------------------------===//
// Names
//===------------------------------------------------------------------------===//

std::vector<std::string> Launch::getNames(bool scalars) const {
  std::vector<std::string> names;
  for (size_t v = 0; v < kernel->getNumVariants(); ++v)
    for (size_t i = 0; i < kernel->getNumArguments(v); ++i) {
      attnc_argument_info_t argument = kernel->describeArgument(v, i);
      bool isNew = std::find(names.begin(), names.end(), argument.name) == names.end();
      if ((argument.kind == ATTNC_SCALAR) == scalars && isNew)
        names.push_back(argument.name);
    }
  return names;
}

bool Launch::isName(std::string_view name, bool scalars) const {
  std::vector<std::string> names = getNames(scalars);
  return std::find(names.begin(), names.end(), name) != names.end();
}

Result Launch::findTensor(std::string_view name) const {
  if (isName(name, /*scalars=*/false))
    return std::nullopt;
  if (name == "lse")
    return invalidArgument("`lse`: expected no tensor, as the kernel was compiled without lse");
  if (isName(name, /*scalars=*/true))
    return invalidArgument(quote(name) + ": expected a number, as it is a scalar, got a tensor");
  std::optional<std::string> nearest = findNearestName(name, getNames(/*scalars=*/false));
  return invalidArgument(quote(name) + ": the kernel takes no tensor of this name" +
                         (nearest ? ", did you mean " + quote(*nearest) + "?" : ""));
}

Result Launch::findScalar(std::string_view name) const {
  if (isName(name, /*scalars=*/true))
    return std::nullopt;
  if (name == "scale")
    return invalidArgument("`scale`: expected no value, as the program fixes it");
  if (isName(name, /*scalars=*/false))
    return invalidArgument(quote(name) + ": expected a tensor, got a number");
  std::optional<std::string> nearest = findNearestName(name, getNames(/*scalars=*/true));
  return invalidArgument(quote(name) + ": the kernel takes no scalar of this name" +
                         (nearest ? ", did you mean " + quote(*nearest) + "?" : ""));
}

//===------------------------------------------------------------------------===//
// Arguments
//===------------------------------------------------------------------------===//

/// Whether `tensor` has the rank, type, sizes and strides of `view`.
static bool isLike(const DLTensor &tensor, const TensorView &view) {
  DLDataType dtype = getDLDataType(view.type);
  if (tensor.ndim != view.getRank() || tensor.dtype.code != dtype.code ||
      tensor.dtype.bits != dtype.bits || tensor.dtype.lanes != 1 || (tensor.ndim && !tensor.shape))
    return false;
  int64_t compact = 1;
  for (size_t i = view.sizes.size(); i-- > 0;) {
    if (tensor.shape[i] != view.sizes[i] ||
        (tensor.strides ? tensor.strides[i] : compact) != view.strides[i])
      return false;
    if (__builtin_mul_overflow(compact, view.sizes[i], &compact))
      return false;
  }
  return true;
}

bool Launch::replaceTensor(std::string_view name, const DLTensor &tensor, Result &result) {
  auto found = std::find_if(tensors.begin(), tensors.end(),
                            [&](const LaunchTensor &t) { return t.name == name; });
  if (found == tensors.end() || !isLike(tensor, found->view))
    return false;
  char *data = static_cast<char *>(tensor.data);
  if (data)
    data += tensor.byte_offset;
  bool isAligned =
      reinterpret_cast<uintptr_t>(data) % static_cast<uint64_t>(getSize(found->view.type)) == 0;
  // What is wrong with it the checks of attnc_launch_prepare say.
  if ((!data && found->view.data) || !isAligned)
    return false;
  void *before = found->view.data;
  found->view.data = data;
  result = checkOverlaps(tensors);
  if (result)
    found->view.data = before;
  else
    bound.slots[found->slot] = reinterpret_cast<intptr_t>(data);
  return true;
}

TensorView &Launch::getArgument(std::string_view name) {
  if (name == "q")
    return arguments.q;
  if (name == "k")
    return arguments.k;
  if (name == "v")
    return arguments.v;
  if (name == "o")
    return arguments.o;
  if (name == "lse")
    return arguments.lse ? *arguments.lse : arguments.lse.emplace();
  return arguments.captures[std::string(name)];
}

void Launch::unprepare() {
  // What this launch has replaced since it was prepared stays.
  if (prepared)
    for (const LaunchTensor &t : tensors)
      getArgument(t.name).data = t.view.data;
  prepared = false;
}

Result Launch::setTensor(std::string_view name, const DLTensor &tensor, bool isReadOnly) {
  if (isReadOnly && isOutputName(name))
    return invalidArgument(quote(name) + ": expected a tensor that can be written, got one that "
                                         "is marked read-only");
  if (Result failure = kernel->getDevice().checkPlace(tensor.device))
    return about(name, *failure);
  if (prepared) {
    Result result;
    if (replaceTensor(name, tensor, result))
      return result;
  }
  if (Result failure = findTensor(name))
    return failure;
  TensorView view;
  if (Result failure = borrowTensor(tensor, view))
    return about(name, *failure);
  unprepare();
  getArgument(name) = std::move(view);
  given.emplace(name);
  return std::nullopt;
}

bool Launch::replaceScalar(std::string_view name, const ScalarValue &value, Result &result) {
  const std::vector<ScalarInfo> &scalars = kernel->getVariant(variant).getInfo().scalars;
  for (size_t i = 0; i < scalars.size(); ++i) {
    if (scalars[i].name != name)
      continue;
    int64_t &slot = bound.slots[firstScalarSlot + i], before = slot;
    if (auto error = convertScalar(scalars[i].type, value, slot))
      result = invalidArgument(quote(name) + ": expected " + *error);
    else if (auto other = checkKeys(variant, bound)) {
      slot = before;
      result = other;
    } else
      for (auto &[key, kept] : arguments.scalars)
        if (key == name)
          kept = value;
    return true;
  }
  return false;
}

Result Launch::setScalar(std::string_view name, ScalarValue value) {
  Result result;
  if (prepared && replaceScalar(name, value, result))
    return result;
  if (Result failure = findScalar(name))
    return failure;
  if (name == "scale") {
    int64_t slot = 0;
    if (auto error = convertScalar(ElementType::F32, value, slot))
      return invalidArgument("`scale`: expected " + *error);
    double exact = std::holds_alternative<double>(value)
                       ? std::get<double>(value)
                       : static_cast<double>(std::get<int64_t>(value));
    if (!std::isfinite(exact))
      return invalidArgument("`scale`: expected a finite value, got " + std::to_string(exact));
    arguments.scale = static_cast<float>(exact);
    if (prepared)
      bound.slots[ArgumentLayout::Scale] = slot;
    return std::nullopt;
  }
  arguments.scalars[std::string(name)] = value;
  return std::nullopt;
}

//===------------------------------------------------------------------------===//
// Preparing
//===------------------------------------------------------------------------===//

Result Launch::chooseVariant(size_t &index) const {
  constexpr size_t mainRank = 4;
  const std::vector<int64_t> &q = arguments.q.sizes, &v = arguments.v.sizes;
  index = 0;
  // With one variant, or tensors that fit none, its own checks say what is wrong.
  if (kernel->getNumVariants() == 1 || q.size() != mainRank || v.size() != mainRank)
    return std::nullopt;
  std::optional<size_t> found = kernel->findVariant(arguments.q.type, q.back(), v.back());
  if (!found)
    return invalidArgument("`q`: expected elements and last dimensions that a kernel was compiled "
                           "for, " +
                           kernel->listVariants() + ", got " + getName(arguments.q.type) +
                           " with " + std::to_string(q.back()) + " and " +
                           std::to_string(v.back()));
  index = *found;
  return std::nullopt;
}

Result Launch::checkPrepared() const {
  if (prepared)
    return std::nullopt;
  return invalidArgument("expected a launch that attnc_launch_prepare has prepared");
}

Result Launch::prepare() {
  if (prepared)
    return std::nullopt;
  for (const char *name : {"q", "k", "v", "o"})
    if (given.count(name) == 0)
      return invalidArgument(quote(name) + ": expected a tensor, got none");
  size_t index = 0;
  if (Result failure = chooseVariant(index))
    return failure;
  const Variant &chosen = kernel->getVariant(index);
  const KernelInfo &info = chosen.getInfo();
  // Before DLPack had bools they came as bytes.
  for (const CaptureInfo &capture : info.captures)
    if (auto found = arguments.captures.find(capture.name); found != arguments.captures.end() &&
                                                            capture.type == ElementType::Bool &&
                                                            found->second.type == ElementType::U8)
      found->second.type = ElementType::Bool;
  BoundArguments newBound;
  if (std::optional<std::string> error = bindArguments(info, arguments, newBound))
    return invalidArgument(*error);
  std::vector<LaunchTensor> newTensors = getLaunchTensors(info, newBound);
  if (Result failure = checkOverlaps(newTensors))
    return failure;
  if (Result failure = checkKeys(index, newBound))
    return failure;
  LaunchPlan newPlan;
  if (Result failure = chosen.plan(newBound, keys, newPlan))
    return failure;
  bound = std::move(newBound);
  tensors = std::move(newTensors);
  firstScalarSlot = static_cast<size_t>(ArgumentLayout(info).getScalar(0));
  plan = std::move(newPlan);
  variant = index;
  prepared = true;
  return std::nullopt;
}

//===------------------------------------------------------------------------===//
// Plans
//===------------------------------------------------------------------------===//

Result Launch::findPlanner(size_t index, std::optional<Variant::Planner> &planner) const {
  planner = kernel->getVariant(index).getPlanner();
  if (planner)
    return std::nullopt;
  return invalidArgument("`launch`: expected a kernel on the device `host`, which alone has plans, "
                         "got one on " +
                         quote(kernel->getDevice().getName()));
}

Result Launch::checkKeys(size_t index, const BoundArguments &arguments) const {
  if (!keys)
    return std::nullopt;
  std::optional<Variant::Planner> planner;
  if (Result failure = findPlanner(index, planner))
    return failure;
  if (std::optional<std::string> error = keys->check(*planner->kernel, arguments))
    return invalidArgument(*error);
  return std::nullopt;
}

Result Launch::makePlan(const attnc_plan_options_t &options, Plan &result) const {
  std::optional<Variant::Planner> planner;
  if (Result failure = checkPrepared())
    return failure;
  if (Result failure = findPlanner(variant, planner))
    return failure;
  const HostKernel &host = *planner->kernel;
  PlanOptions wanted;
  wanted.rows = plan.host.rows != 0 ? plan.host.rows : host.queryBlock;
  wanted.keys = host.planner.keyBlock != 0 ? host.planner.keyBlock : wanted.keys;
  if (options.block_queries != 0)
    wanted.rows = options.block_queries;
  if (options.block_keys != 0)
    wanted.keys = options.block_keys;
  wanted.refine = options.refine != 0;
  wanted.threads = planner->threads;
  if (std::optional<std::string> error = attnc::makePlan(host, bound, wanted, result))
    return invalidArgument(*error);
  return std::nullopt;
}

Result Launch::setPlan(std::shared_ptr<const Plan> newKeys) {
  std::optional<Variant::Planner> planner;
  if (newKeys)
    if (Result failure = findPlanner(0, planner))
      return failure;
  keys = std::move(newKeys);
  unprepare();
  return std::nullopt;
}

Result Launch::verifyPlan(const Plan &given) const {
  std::optional<Variant::Planner> planner;
  if (Result failure = checkPrepared())
    return failure;
  if (Result failure = findPlanner(variant, planner))
    return failure;
  if (std::optional<std::string> error = given.check(*planner->kernel, bound))
    return invalidArgument(*error);
  if (auto violation = attnc::verifyPlan(given, *planner->kernel, bound, planner->threads))
    return invalidArgument("the plan does not hold: " + violation->print());
  return std::nullopt;
}

//===------------------------------------------------------------------------===//
// Running
//===------------------------------------------------------------------------===//

Result Launch::setWorkspace(void *memory, size_t size) {
  if (!memory && size > 0)
    return invalidArgument("`memory`: expected " + std::to_string(size) + " bytes, got NULL");
  releaseOwned();
  workspace = memory;
  workspaceBytes = size;
  return std::nullopt;
}

Result Launch::allocateWorkspace() {
  if (Result failure = checkPrepared())
    return failure;
  if (owned && workspaceBytes == plan.workspaceBytes)
    return std::nullopt;
  releaseOwned();
  if (plan.workspaceBytes == 0)
    return std::nullopt;
  if (Result failure = kernel->getDevice().allocate(plan.workspaceBytes, owned))
    return failure;
  workspace = owned;
  workspaceBytes = plan.workspaceBytes;
  return std::nullopt;
}

Result Launch::checkRunnable() const {
  if (Result failure = checkPrepared())
    return failure;
  if (plan.workspaceBytes == 0)
    return std::nullopt;
  if (workspaceBytes < plan.workspaceBytes)
    return invalidArgument("expected a workspace of " + std::to_string(plan.workspaceBytes) +
                           " bytes, got " + std::to_string(workspaceBytes) +
                           "; attnc_launch_set_workspace and attnc_launch_allocate_workspace give "
                           "one");
  if (reinterpret_cast<uintptr_t>(workspace) % plan.workspaceAlignment != 0)
    return invalidArgument("expected a workspace at a multiple of " +
                           std::to_string(plan.workspaceAlignment) + " bytes");
  return std::nullopt;
}

Result Launch::run(void *stream) const {
  if (Result failure = checkRunnable())
    return failure;
  return kernel->getVariant(variant).run(bound, plan, workspace, stream);
}

Result Launch::runPart(int32_t part, int32_t parts) const {
  if (parts < 1 || part < 0 || part >= parts)
    return invalidArgument("expected a part from 0 to `parts` - 1, got part " +
                           std::to_string(part) + " of " + std::to_string(parts));
  if (Result failure = checkRunnable())
    return failure;
  return kernel->getVariant(variant).runPart(bound, plan, workspace, part, parts);
}
