//===- BoundProgram.cpp - A program and the tensors it runs on --------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/BoundProgram.h"
#include "compiler/Driver/LoadProgram.h"
#include "compiler/Target/KernelInfo/KernelInfo.h"
#include "dialect/Attn/IR/HeadDim.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::driver;

std::optional<RunError> BoundProgram::prepare(const Target &target) {
  source = options.random ? createRandomTensors(options) : createStoredTensors(options);
  if (auto error = loadMainTensors())
    return error;
  if (auto error = compile(target))
    return error;
  for (auto step : {&BoundProgram::addScalars, &BoundProgram::addCaptures, &BoundProgram::bind})
    if (std::optional<RunError> error = (this->*step)())
      return error;
  return std::nullopt;
}

std::optional<RunError> BoundProgram::loadMainTensors() {
  StageTimes::Scope stage = times.start("load tensors");
  if (auto error = source->addMainTensors(arguments))
    return error;
  if (!isFloat(arguments.q.type))
    return RunError{BadInput,
                    "`q`: expected elements of f32, f16 or bf16, got " + getName(arguments.q.type)};
  for (auto [name, dim, view] :
       {std::tuple("q", "D", &arguments.q), std::tuple("v", "Dv", &arguments.v)})
    if (!attn::isHeadDim(view->sizes[3]))
      return RunError{BadInput, llvm::formatv("`{0}`: expected {1} {2} as last dimension, got {3}",
                                              name, dim, attn::getHeadDimRange(), view->sizes[3])
                                    .str()};
  return std::nullopt;
}

std::optional<RunError> BoundProgram::compile(const Target &target) {
  KernelShape shape{arguments.q.type, arguments.q.sizes[3], arguments.v.sizes[3]};
  if (auto error = loadProgram(compilation, options, shape, target, kernel))
    return error;
  if (auto error = setScale())
    return error;
  info = getKernelInfo(kernel);
  return std::nullopt;
}

/// The scale of the command line takes the place of 1/sqrt(D), not of a value in the program.
std::optional<RunError> BoundProgram::setScale() {
  if (!options.scale)
    return std::nullopt;
  if (kernel.getScale()) {
    const std::string &text = options.scale->text;
    return RunError{
        BadUsage,
        "`--scale " + text + "`: the program gives `scale` its value" +
            (compilation.isSource() ? ", which `-D scale=" + text + "` replaces" : std::string())};
  }
  if (kernel.getScaleArgument())
    arguments.scale = options.scale->value;
  else
    kernel.setScaleAttr(Builder(kernel).getF32FloatAttr(options.scale->value));
  return std::nullopt;
}

std::optional<RunError> BoundProgram::addScalars() {
  std::vector<std::string> names;
  for (const ScalarInfo &scalar : info.scalars)
    names.push_back(scalar.name);
  for (const auto &[name, value] : options.scalars) {
    bool isScale = name == "scale" && !info.scale;
    if (isScale) {
      if (options.scale)
        return RunError{BadUsage, "expected either `--scale` or `--set scale=`, got both"};
      if (std::holds_alternative<bool>(value))
        return RunError{BadUsage, "`--set`: expected a number as `scale`, got a bool"};
      arguments.scale = std::visit([](auto x) { return static_cast<float>(x); }, value);
    }
    bool isScalar = llvm::is_contained(names, name);
    if (!isScale && !isScalar)
      return makeUnknownNameError("--set", name, names);
    if (isScalar)
      arguments.scalars[name] = value;
  }
  return std::nullopt;
}

std::optional<RunError> BoundProgram::addCaptures() {
  if (auto error = source->addCaptures(info, arguments))
    return error;
  for (const ScalarInfo &scalar : info.scalars)
    if (!arguments.scalars.count(scalar.name))
      return RunError{BadUsage, "`" + scalar.name + "`: expected a value of type " +
                                    getName(scalar.type) + " (`--set " + scalar.name +
                                    "=VALUE`), got none"};
  if (!info.scale && !arguments.scale)
    return RunError{BadUsage, "`scale`: expected a value (`--scale X`), got none"};
  return std::nullopt;
}

std::optional<RunError> BoundProgram::bind() {
  std::vector<int64_t> rows = arguments.q.sizes;
  rows.pop_back();
  std::vector<int64_t> oSizes = rows;
  oSizes.push_back(arguments.v.sizes[3]);
  if (auto error = TensorBuffer::allocate("`o`", arguments.q.type, oSizes, o))
    return error;
  arguments.o = o.getView();
  if (options.lse) {
    if (auto error = TensorBuffer::allocate("`lse`", ElementType::F32, rows, lse))
      return error;
    arguments.lse = lse.getView();
  }
  if (std::optional<std::string> error = bindArguments(info, arguments, bound))
    return RunError{BadInput, *error};
  return std::nullopt;
}
