//===- SweepProgram.cpp - One random program and its launches ---------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "test/sweep/SweepProgram.h"
#include "compiler/Driver/GpuCompiler.h"
#include "compiler/Driver/HostCompiler.h"
#include "compiler/Driver/RunPhases.h"
#include "compiler/Pipelines/Pipelines.h"
#include "compiler/Target/KernelInfo/KernelInfo.h"
#include "compiler/Target/Reference/Reference.h"
#include "mlir/IR/Diagnostics.h"
#include "runtime/safetensors/Safetensors.h"
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <sstream>

using namespace mlir;
using namespace attnc;
using namespace attnc::sweep;

SweepProgram::SweepProgram(uint64_t seed, int64_t number, const SweepDevices &devices)
    : seed(seed), number(number), devices(devices) {
  Random random(seed, static_cast<uint64_t>(number));
  program = ProgramGenerator(random).generate();
  shape.dtype = random.pick(
      {ElementType::F32, ElementType::F32, ElementType::BF16, ElementType::BF16, ElementType::F16});
  shape.headDim = random.chance(60)   ? random.pick<int64_t>({16, 32, 64, 80, 96, 128})
                  : random.chance(60) ? random.pick<int64_t>({1, 2, 7, 8, 24, 40, 63, 72, 100, 192})
                                      : random.range(1, 256);
  shape.valueDim = random.chance(75) ? shape.headDim : random.range(1, 256);
  lse = random.chance(85);
  cpu = random.pick({"native", "native", "native", "native", "native", "native", "x86-64-v3",
                     "x86-64-v3", "x86-64"});
  // From numbers of its own, so that all else stays as it was.
  arch = Random(seed + 2, static_cast<uint64_t>(number))
             .pick({"sm_80", "sm_80", "sm_86", "sm_86", "sm_90"});
  DialectRegistry registry;
  insertAllDialects(registry);
  context.appendDialectRegistry(registry);
}

std::string SweepProgram::getOptions() const {
  std::ostringstream options;
  for (const auto &[name, value] : program.scalars) {
    options << " --set " << name << "=";
    std::visit([&](auto x) { options << std::setprecision(17) << x; }, value);
  }
  options << (lse ? " --lse" : "")
          << (devices.emulator ? " --device emulator --schedules ci --arch " + arch
                               : " --cpu " + cpu);
  return options.str();
}

std::string SweepProgram::compileToAttn() {
  SourceManager sources;
  attnc::DiagnosticEngine diagnostics(sources);
  const SourceFile &file = sources.add("program.attn", program.text);
  FrontendOptions options;
  options.shapes = {shape};
  options.lse = lse;
  FrontendResult result = attnc::compileToAttn(file, options, sources, diagnostics, context);
  std::string text;
  llvm::raw_string_ostream os(text);
  diagnostics.printText(os);
  if (!result.module)
    return "the front end refused it\n" + text;
  module = std::move(result.module);
  info = getKernelInfo(*module->getOps<attn::KernelOp>().begin());
  return "";
}

std::string SweepProgram::compileForHost() {
  llvm::Expected<HostTarget> target = HostTarget::get(cpu);
  if (!target)
    return llvm::toString(target.takeError());
  if (llvm::Error unsupported = target->checkRunsHere()) {
    llvm::consumeError(std::move(unsupported));
    target = HostTarget::get("native");
  }
  OwningOpRef<ModuleOp> copy = module->clone();
  driver::StageTimes times;
  auto kernels = driver::compileForHost(*copy, Phase::Attn, *target, times);
  if (!kernels)
    return "compiling for the host failed: " + llvm::toString(kernels.takeError()) + "\n";
  host = std::move(kernels->front());
  return "";
}

std::string SweepProgram::compileForEmulator() {
  llvm::Expected<PtxTarget> target = PtxTarget::get(arch);
  if (!target)
    return llvm::toString(target.takeError());
  OwningOpRef<ModuleOp> copy = module->clone();
  driver::StageTimes times;
  driver::GpuCode code;
  if (auto error = driver::compileForGpu(*copy, Phase::Attn, *target, times, code))
    return "compiling for " + arch + " failed: " + error->message + "\n";
  emulated.emplace();
  if (auto error = emulated->load(code.ptx, code.kernels.front()))
    return "the emulator does not take the kernel: " + *error + "\n";
  return "";
}

std::string SweepProgram::compile() {
  std::string error = compileToAttn();
  if (!error.empty())
    return error;
  std::string diagnostic;
  ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &message) { diagnostic += message.str() + "\n"; });
  driver::StageTimes times;
  llvm::Expected<HostTarget> target = HostTarget::get(cpu);
  if (!target)
    return llvm::toString(target.takeError());
  if (devices.passes) {
    expanded = module->clone();
    if (failed(driver::runPhases(*expanded, Phase::Attn, Phase::Expanded, *target, times)))
      return "the passes over attn failed: " + diagnostic;
  }
  if (devices.host)
    error = compileForHost();
  if (error.empty() && devices.emulator)
    error = compileForEmulator();
  return error.empty() ? "" : error + diagnostic;
}

GeneratedLaunch SweepProgram::makeLaunch(int64_t launch) const {
  Random random(seed + 1, static_cast<uint64_t>(number * launchesPerProgram + launch));
  return generateLaunch(random, info, program);
}

namespace {
/// Outputs of one run, without gaps. Rows of o are stored by head, or by query.
struct Outputs {
  Outputs(const LaunchArguments &arguments, ElementType dtype, bool withLse, bool byQuery)
      : oStorage(0, false), lseStorage(0, false) {
    std::vector<int64_t> sizes = arguments.q.sizes;
    sizes.back() = arguments.v.sizes.back();
    o = make(oStorage, dtype, sizes);
    if (byQuery) {
      o.strides[1] = sizes[3];
      o.strides[2] = sizes[3] * sizes[1];
    }
    sizes.pop_back();
    if (withLse)
      lse = make(lseStorage, ElementType::F32, sizes);
  }

  static TensorView make(GuardedBuffer &storage, ElementType type, std::vector<int64_t> sizes) {
    int64_t bytes = getSize(type);
    for (int64_t size : sizes)
      bytes *= size;
    storage = GuardedBuffer(bytes, /*atStart=*/false);
    std::fill(storage.getData(), storage.getData() + bytes, '\x7e');
    return {storage.getData(), type, sizes, getContiguousStrides(sizes)};
  }

  GuardedBuffer oStorage, lseStorage;
  TensorView o;
  std::optional<TensorView> lse;
};

std::string describe(const std::string &device, const std::vector<driver::OutputCheck> &checks) {
  std::ostringstream text;
  for (const driver::OutputCheck &check : checks) {
    if (check.passes())
      continue;
    text << device << ": " << check.name << " error " << check.error << ", limit " << check.limit
         << ", worst at [";
    for (size_t i = 0; i < check.worst.size(); ++i)
      text << (i ? ", " : "") << check.worst[i];
    text << "] (got " << std::setprecision(9) << check.got << ", expected " << check.expected
         << "), " << check.beyond << " beyond\n"
         << std::setprecision(6);
  }
  return text.str();
}
} // namespace

/// How a launch is made in the emulator: as chosen for a small GPU, by the entry for long grids, by
/// the one for short ones, and by that with several splits.
static std::optional<int64_t> getSplits(int64_t number, int64_t launch) {
  const std::optional<int64_t> choices[] = {std::nullopt, 0, 1, 2 + number % 6};
  return choices[(number + launch) % 4];
}

/// The first launch runs under several schedules, and the last one with perturbed approximations.
static emu::EmulationOptions getEmulation(int64_t number, int64_t launch) {
  emu::EmulationOptions options;
  options.workers = 1;
  options.splits = getSplits(number, launch);
  options.schedules = {emu::Schedule()};
  if (launch == 0)
    options.schedules = emu::getSchedules(5);
  options.perturbApproximations = launch == SweepProgram::launchesPerProgram - 1;
  return options;
}

std::string SweepProgram::runLaunch(int64_t launch) {
  GeneratedLaunch generated = makeLaunch(launch);
  LaunchArguments &arguments = generated.arguments;
  bool byQuery = launch % 2 != 0;
  Outputs outputs(arguments, shape.dtype, lse, byQuery);
  arguments.o = outputs.o;
  arguments.lse = outputs.lse;
  BoundArguments bound;
  if (std::optional<std::string> error = bindArguments(info, arguments, bound)) {
    // Constant indices and extents that are too small for them are the generator's doing.
    return error->find("constant index") != std::string::npos ? "" : "refused: " + *error;
  }
  std::string diagnostic;
  ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &message) { diagnostic += message.str() + "\n"; });
  auto kernel = *module->getOps<attn::KernelOp>().begin();
  FailureOr<driver::Judge> judge =
      driver::Judge::create(kernel, info, arguments, bound, /*threads=*/1);
  if (failed(judge))
    return "the reference failed: " + diagnostic;
  pairs += bound.B * bound.Hq * bound.Q * bound.KV;
  takingPart += judge->getNumPairs();
  std::string failures;
  if (host) {
    int threads = launch == 0 ? 3 : 1;
    if (std::optional<std::string> error = attnc::launch(*host, bound, threads))
      return "the launch failed: " + *error;
    failures += describe("host", judge->compare(outputs.o, outputs.lse));
  }
  if (emulated) {
    Outputs others(arguments, shape.dtype, lse, byQuery);
    LaunchArguments again = arguments;
    again.o = others.o;
    again.lse = others.lse;
    if (std::optional<std::string> error = bindArguments(info, again, bound))
      return "refused: " + *error;
    if (auto error = emulated->launch(bound, getEmulation(number, launch)))
      return failures + arch + ": " + error->message + "\n";
    failures += describe(arch, judge->compare(others.o, others.lse));
  }
  if (expanded) {
    Outputs others(arguments, shape.dtype, lse, byQuery);
    auto after = *expanded->getOps<attn::KernelOp>().begin();
    if (failed(reference::run(after, info, arguments, bound,
                              {&others.o, others.lse ? &*others.lse : nullptr, nullptr},
                              reference::Precision::F32Bodies, /*threads=*/1)))
      return failures + "after the passes the reference failed: " + diagnostic;
    failures += describe("passes", judge->compare(others.o, others.lse));
  }
  return failures;
}

static std::string printSizes(const std::vector<int64_t> &sizes) {
  std::string text;
  for (size_t i = 0; i < sizes.size(); ++i)
    text += (i ? "," : "") + std::to_string(sizes[i]);
  return text;
}

void SweepProgram::save(int64_t launch, const std::string &folder) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/program.attn") << program.text;
  if (!module && !compileToAttn().empty())
    return;
  GeneratedLaunch generated = makeLaunch(launch);
  std::vector<std::pair<std::string, TensorView>> stored;
  std::string command = "attn-run program.attn --in tensors.safetensors --check" + getOptions();
  if (std::optional<int64_t> splits = getSplits(number, launch); splits && devices.emulator)
    command += " --splits " + std::to_string(*splits);
  for (const auto &[name, tensor] : generated.tensors) {
    int64_t elements = tensor.storage.getNumBytes() / getSize(tensor.view.type);
    stored.emplace_back(name,
                        TensorView{tensor.storage.getData(), tensor.view.type, {elements}, {1}});
    command += " --view " + name + "=" + name + ":" + printSizes(tensor.view.sizes) + ":" +
               printSizes(tensor.view.strides) + ":" + std::to_string(tensor.offset);
  }
  if (auto error = safetensors::write(folder + "/tensors.safetensors", stored))
    command = "# " + error->message;
  std::ofstream(folder + "/command.sh") << command << "\n";
}
