//===- Run.cpp - Runs a program on tensors ----------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/Run.h"
#include "compiler/Driver/BoundProgram.h"
#include "compiler/Driver/GpuCompiler.h"
#include "compiler/Driver/HostCompiler.h"
#include "compiler/Driver/IRDiagnostics.h"
#include "compiler/Driver/LoadProgram.h"
#include "compiler/Driver/MaskImage.h"
#include "compiler/Driver/OutputFile.h"
#include "compiler/Driver/RunReport.h"
#include "compiler/Target/Reference/PairCount.h"
#include "compiler/Target/Reference/Reference.h"
#include "runtime/cuda/CudaKernel.h"
#include "runtime/emulator/EmulatedKernel.h"
#include "runtime/safetensors/Safetensors.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace mlir;
using namespace attnc;
using namespace attnc::driver;

namespace {
/// What was said already, to the diagnostic engine.
const RunError reported{BadInput, ""};

bool showsColors() { return llvm::errs().is_displayed() && !std::getenv("NO_COLOR"); }

/// A program's kernel on one device.
struct LoadedKernel {
  HostKernel host;
  std::unique_ptr<emu::EmulatedKernel> emulated;
  std::unique_ptr<cuda::Gpu> gpu;
  std::unique_ptr<cuda::CudaKernel> cuda; ///< goes before the GPU
};

/// Why a device does not run the program.
struct Refusal {
  RunError error;
  /// True if the run ends with it, whatever other devices say: the device does not work.
  bool isFinal = false;
};

/// One run, step by step.
class Session {
public:
  explicit Session(const RunOptions &options)
      : options(options), threads(options.threads ? options.threads : getDefaultThreads()) {}

  ExitStatus run() {
    std::optional<RunError> error = runSteps();
    engine.printText(llvm::errs(), showsColors());
    if (error && !error->message.empty())
      printRunError(error->message);
    if (error)
      return error->status;
    return report.passes() ? Success : CheckFailed;
  }

private:
  std::optional<RunError> runSteps() {
    for (auto step : {&Session::prepareProgram, &Session::prepareDevice, &Session::preparePlan,
                      &Session::compute, &Session::verifyPlan, &Session::check, &Session::measure,
                      &Session::writeOutputs, &Session::drawPicture, &Session::printReport})
      if (std::optional<RunError> error = (this->*step)())
        return error;
    return std::nullopt;
  }

  std::optional<RunError> prepareProgram() {
    // No device has a part in a program's first form.
    if (auto error = program.prepare(llvm::cantFail(HostTarget::get("native"))))
      return error;
    original = program.getModule().clone();
    if (!options.after.empty())
      if (auto error = runAttnPasses(program.getModule(), options.after))
        return error;
    if (!options.weights)
      return std::nullopt;
    std::vector<int64_t> sizes = arguments.q.sizes;
    sizes[3] = arguments.k.sizes[2];
    return TensorBuffer::allocate("`weights`", ElementType::F32, sizes, weights);
  }

  /// Takes the first device of the list that can run the program.
  std::optional<RunError> prepareDevice() {
    DeviceReport answers;
    bool isList = options.devices.size() > 1;
    for (const RunDevice &candidate : options.devices) {
      if (!answers.taken.empty() && !options.explainDevice)
        break;
      LoadedKernel kernel;
      std::optional<Refusal> refusal = isList ? ask(candidate, kernel) : load(candidate, kernel);
      if (refusal && (refusal->isFinal || !isList))
        return refusal->error;
      answers.answers.push_back({candidate.name, refusal ? refusal->error.message : ""});
      if (refusal || !answers.taken.empty())
        continue;
      answers.taken = candidate.name;
      device = candidate.kind;
      loaded = std::move(kernel);
    }
    if (answers.taken.empty())
      return RunError{Environment, answers.describeNone(options.deviceList)};
    if (isList || options.explainDevice)
      report.device = std::move(answers);
    return options.checked && device != RunDevice::Reference ? checkIndices() : std::nullopt;
  }

  /// Loads the kernel on a device of a list. What is wrong with it there is its reason, and no
  /// error of the program.
  std::optional<Refusal> ask(const RunDevice &candidate, LoadedKernel &kernel) {
    if (std::optional<std::string> error = checkDevice(options, candidate))
      return Refusal{{BadUsage, *error}};
    attnc::DiagnosticEngine messages(engine.getSources());
    IRDiagnostics handler(program.getModule().getContext(), messages);
    std::optional<Refusal> refusal = load(candidate, kernel);
    if (refusal && messages.hasErrors())
      refusal->error.message = messages.getSorted().front()->message;
    return refusal;
  }

  std::optional<Refusal> load(const RunDevice &candidate, LoadedKernel &kernel) {
    // The program stays as it is for other devices.
    OwningOpRef<ModuleOp> module = program.getModule().clone();
    switch (candidate.kind) {
    case RunDevice::Host:
      return loadHost(*module, kernel);
    case RunDevice::Cuda:
      return loadOnGpu(*module, candidate, kernel);
    case RunDevice::Emulator:
      return loadInEmulator(*module, kernel);
    case RunDevice::Reference:
      return std::nullopt;
    }
    llvm_unreachable("unknown device");
  }

  std::optional<Refusal> loadHost(ModuleOp module, LoadedKernel &kernel) {
    HostTarget cpu = llvm::cantFail(HostTarget::get(options.cpu.empty() ? "native" : options.cpu));
    if (auto error = compileHost(module, cpu, kernel.host))
      return Refusal{*error};
    return std::nullopt;
  }

  /// Sets `kernel` to that of `module`.
  std::optional<RunError> compileHost(ModuleOp module, const HostTarget &cpu, HostKernel &kernel) {
    if (llvm::Error error = cpu.checkRunsHere())
      return RunError{Environment, llvm::toString(std::move(error))};
    auto kernels = compileForHost(module, Phase::Attn, cpu, times);
    if (!kernels) {
      std::string message = llvm::toString(kernels.takeError());
      return engine.hasErrors() ? reported : RunError{Environment, message};
    }
    kernel = kernels->front();
    return std::nullopt;
  }

  std::optional<RunError> compileGpu(ModuleOp module, PtxTarget gpu, GpuCode &code) {
    (*module.getOps<attn::KernelOp>().begin()).setChecked(false);
    Target target = std::move(gpu);
    target.tile = options.tile;
    target.tf32 = options.tf32.getValue();
    // Faults are reported at the program's lines.
    target.lineInfo = true;
    return compileForGpu(module, Phase::Attn, target, times, code);
  }

  std::optional<Refusal> loadOnGpu(ModuleOp module, const RunDevice &candidate,
                                   LoadedKernel &kernel) {
    kernel.gpu = std::make_unique<cuda::Gpu>();
    auto refuse = [&](const std::string &message, bool isFinal) {
      // Where reasons are told, each has the name of its device.
      bool isReason = options.devices.size() > 1 && !isFinal;
      return Refusal{{Environment, (isReason ? "" : "`" + candidate.name + "`: ") + message},
                     isFinal};
    };
    if (auto error = kernel.gpu->open(candidate.ordinal))
      return refuse(error->message, !error->isMissing);
    if (auto error = kernel.gpu->makeCurrent())
      return refuse(*error, /*isFinal=*/true);
    llvm::Expected<PtxTarget> target =
        PtxTarget::getForGpu(kernel.gpu->getMajor(), kernel.gpu->getMinor());
    if (!target)
      return refuse(llvm::toString(target.takeError()), /*isFinal=*/false);
    GpuCode code;
    if (auto error = compileGpu(module, *target, code))
      return Refusal{*error};
    kernel.cuda = std::make_unique<cuda::CudaKernel>(*kernel.gpu);
    if (auto error = kernel.cuda->load(code.ptx, code.kernels.front()))
      return refuse(*error, /*isFinal=*/false);
    return std::nullopt;
  }

  std::optional<Refusal> loadInEmulator(ModuleOp module, LoadedKernel &kernel) {
    GpuCode code;
    PtxTarget target =
        llvm::cantFail(PtxTarget::get(options.arch.empty() ? "sm_80" : options.arch));
    if (auto error = compileGpu(module, target, code))
      return Refusal{*error};
    kernel.emulated = std::make_unique<emu::EmulatedKernel>();
    if (auto error = kernel.emulated->load(code.ptx, code.kernels.front()))
      return Refusal{{InternalError, "internal error, please report: the emulator does not take "
                                     "the kernel: " +
                                         *error},
                     /*isFinal=*/true};
    return std::nullopt;
  }

  std::optional<RunError> launch() {
    switch (device) {
    case RunDevice::Host:
      return launchHost();
    case RunDevice::Cuda:
      return launchOnGpu();
    case RunDevice::Emulator:
      return launchInEmulator();
    case RunDevice::Reference:
      return launchReference();
    }
    llvm_unreachable("unknown device");
  }

  std::optional<RunError> launchHost() {
    const Plan *given = plan ? &plan->plan : nullptr;
    if (auto error = attnc::launch(loaded.host, bound, static_cast<int>(threads), given))
      return RunError{Environment, *error};
    return std::nullopt;
  }

  std::optional<RunError> launchOnGpu() {
    cuda::CudaLaunch launch(*loaded.cuda);
    std::optional<std::string> error = launch.prepare(bound);
    if (!error)
      error = launch.start();
    if (!error)
      error = launch.readOutputs();
    return error ? std::optional(RunError{Environment, *error}) : std::nullopt;
  }

  std::optional<RunError> launchInEmulator() {
    emu::EmulationOptions emulation;
    emulation.schedules = emu::getSchedules(std::max(options.schedules, 1U), options.seed);
    emulation.perturbApproximations = options.perturbApproximations;
    emulation.workers = threads;
    emulation.multiprocessors = options.multiprocessors.value_or(1);
    emulation.splits = options.splits;
    emulation.countsStatistics = options.statistics;
    if (auto error = loaded.emulated->launch(bound, emulation))
      return RunError{error->isFault ? CheckFailed : Environment, error->message};
    if (options.statistics)
      report.statistics = loaded.emulated->getStatistics();
    return std::nullopt;
  }

  /// With --checked a kernel for the host comes with a function that follows the loads of every
  /// pair. Kernels for GPUs have none; one of the same program for this CPU tells.
  std::optional<RunError> checkIndices() {
    if (!loaded.host.function) {
      OwningOpRef<ModuleOp> copy = program.getModule().clone();
      if (auto error = compileHost(*copy, llvm::cantFail(HostTarget::get("native")), planner))
        return error;
    }
    const HostKernel &host = getHostKernel();
    std::optional<ClampedIndex> clamped = findClampedIndex(host, bound, static_cast<int>(threads));
    if (!clamped)
      return std::nullopt;
    const LoadSite &site = host.loads[clamped->load];
    SourceRange range = engine.getSources().getRange(site.file, {site.line, site.column},
                                                     {site.endLine, site.endColumn});
    return reportClamped(*clamped, range);
  }

  /// The kernel for this CPU: the one that is launched, or one that knows of the mask.
  const HostKernel &getHostKernel() const { return loaded.host.function ? loaded.host : planner; }

  std::optional<RunError> launchReference() {
    reference::Outputs outputs{&arguments.o, arguments.lse ? &*arguments.lse : nullptr,
                               options.weights ? &weights.getView() : nullptr};
    reference::Precision precision =
        options.after.empty() ? reference::Precision::Exact : reference::Precision::F32Bodies;
    auto summary =
        reference::run(program.getKernel(), info, arguments, bound, outputs, precision, threads);
    if (failed(summary))
      return reported;
    return options.checked ? reportClamped(*summary) : std::nullopt;
  }

  std::optional<RunError> reportClamped(const reference::Summary &summary) {
    if (!summary.clamped)
      return std::nullopt;
    return reportClamped(*summary.clamped,
                         getSourceRange(engine.getSources(), summary.clamped->loc));
  }

  /// Reports what one device or the other has found at `range`.
  template <typename ClampedT>
  std::optional<RunError> reportClamped(const ClampedT &clamped, SourceRange range) {
    engine.reportOther(
        range, Severity::Error,
        llvm::formatv("index {0} is outside dimension {1} of size {2}, first at batch {3}, head "
                      "{4}, query {5}, key {6}",
                      clamped.index, clamped.dim, clamped.size, clamped.b, clamped.h, clamped.q,
                      clamped.kv)
            .str());
    return reported;
  }

  /// On other devices than the host, loads a kernel for it, for what that knows of the mask.
  std::optional<RunError> loadPlanner() {
    if (getHostKernel().function)
      return std::nullopt;
    OwningOpRef<ModuleOp> copy = original->clone();
    return compileHost(*copy, llvm::cantFail(HostTarget::get("native")), planner);
  }

  /// Whether the kernel that is launched takes the blocks that were asked for.
  std::optional<RunError> checkMadePlan() const {
    if (device != RunDevice::Host || !needsResults())
      return std::nullopt;
    std::optional<std::string> error = plan->plan.check(getHostKernel(), bound);
    return error ? std::optional(RunError{BadUsage, "`--block`: " + *error}) : std::nullopt;
  }

  /// The plan, made or read; only the host's kernels use it.
  std::optional<RunError> preparePlan() {
    if (!wantsPlan(options))
      return std::nullopt;
    if (auto error = loadPlanner())
      return error;
    plan.emplace();
    if (!options.loadPlan.empty()) {
      if (auto error = loadPlan(options.loadPlan, plan->plan))
        return RunError{Environment, *error};
      if (auto error = plan->plan.check(getHostKernel(), bound))
        return RunError{BadInput, "`" + options.loadPlan + "`: " + *error};
      plan->statistics = plan->plan.count(getHostKernel().info);
    } else {
      PlanOptions wanted;
      if (options.planRows != 0) {
        wanted.rows = options.planRows;
        wanted.keys = options.planKeys;
      }
      wanted.refine = options.refinePlan;
      wanted.threads = static_cast<int>(threads);
      StageTimes::Scope stage = times.start("plan");
      if (auto error = makePlanReport(getHostKernel(), bound, wanted, *plan))
        return RunError{Environment, *error};
      if (auto error = checkMadePlan())
        return error;
    }
    if (options.savePlan.empty())
      return std::nullopt;
    std::optional<std::string> error = savePlan(plan->plan, options.savePlan);
    return error ? std::optional(RunError{Environment, *error}) : std::nullopt;
  }

  /// After the launch, so that tables that it changed would show.
  std::optional<RunError> verifyPlan() {
    if (options.verifyPlan) {
      if (auto violation =
              attnc::verifyPlan(plan->plan, getHostKernel(), bound, static_cast<int>(threads)))
        return RunError{CheckFailed, "the plan does not hold: " + violation->print()};
      plan->verified = true;
    }
    if (options.plan || options.verifyPlan)
      report.plan = *plan;
    return std::nullopt;
  }

  /// False where only what the mask says is asked for.
  bool needsResults() const {
    bool onlyMask = wantsPlan(options) || !options.maskPicture.empty();
    bool results = !options.out.empty() || options.check || options.bench || options.statistics ||
                   options.checked || options.schedules != 0 || !options.loadPlan.empty();
    return results || !onlyMask;
  }

  std::optional<RunError> compute() {
    if (!needsResults())
      return std::nullopt;
    StageTimes::Scope stage = times.start("run");
    return launch();
  }

  attn::KernelOp getOriginal() { return *original->getOps<attn::KernelOp>().begin(); }

  std::optional<RunError> check() {
    if (!options.check)
      return std::nullopt;
    FailureOr<Judge> judge = Judge::create(getOriginal(), info, arguments, bound, threads,
                                           options.tf32.getValue() == tile::Tf32::Rounded);
    if (failed(judge))
      return reported;
    report.check = judge->compare(arguments.o, arguments.lse);
    return std::nullopt;
  }

  std::optional<RunError> measure() {
    if (!options.bench)
      return std::nullopt;
    FailureOr<int64_t> pairs = reference::countPairs(getOriginal(), info, arguments, bound);
    if (failed(pairs))
      return reported;
    report.pairs = *pairs;
    double flops =
        static_cast<double>(*pairs) * 2 * static_cast<double>(info.headDim + info.valueDim);
    report.bench.emplace();
    return bench([this] { return launch(); }, flops, info.dtype == ElementType::BF16, threads,
                 *report.bench);
  }

  std::optional<RunError> writeOutputs() {
    if (options.out.empty())
      return std::nullopt;
    std::vector<std::pair<std::string, TensorView>> tensors = {{"o", arguments.o}};
    if (arguments.lse)
      tensors.emplace_back("lse", *arguments.lse);
    if (options.weights)
      tensors.emplace_back("weights", weights.getView());
    std::optional<safetensors::Error> error = options.out == "-"
                                                  ? safetensors::writeStandardOutput(tensors)
                                                  : safetensors::write(options.out, tensors);
    return error ? std::optional(RunError{Environment, error->message}) : std::nullopt;
  }

  std::optional<RunError> drawPicture() {
    if (options.maskPicture.empty())
      return std::nullopt;
    if (auto error = loadPlanner())
      return error;
    llvm::StringRef file = options.maskPicture;
    auto draw = file.ends_with(".png")   ? drawMaskPng
                : file.ends_with(".svg") ? drawMaskSvg
                                         : drawMask;
    llvm::Expected<std::string> picture = draw(getHostKernel(), bound, static_cast<int>(threads));
    if (!picture)
      return RunError{BadInput, "`--mask-picture`: " + llvm::toString(picture.takeError())};
    if (llvm::Error error = driver::writeOutputs(Output{options.maskPicture, *picture}))
      return RunError{Environment, llvm::toString(std::move(error))};
    return std::nullopt;
  }

  std::optional<RunError> printReport() {
    if (options.timePasses && options.json)
      report.times = times.toJSON();
    else if (options.timePasses)
      times.print(llvm::errs());
    std::string text;
    llvm::raw_string_ostream os(text);
    if (options.json)
      report.printJSON(os);
    else
      report.printText(os);
    if (options.out != "-")
      return writeStandardOutput(text);
    // Beside tensors on standard output, a report is a message.
    llvm::errs() << text;
    return std::nullopt;
  }

  const RunOptions &options;
  StageTimes times;
  BoundProgram program{options, times};
  attnc::DiagnosticEngine &engine = program.getDiagnostics();
  const KernelInfo &info = program.getInfo();
  const LaunchArguments &arguments = program.getArguments();
  const BoundArguments &bound = program.getBound();
  unsigned threads;
  TensorBuffer weights;
  OwningOpRef<ModuleOp> original;           ///< before --after
  RunDevice::Kind device = RunDevice::Host; ///< that was taken
  LoadedKernel loaded;                      ///< there
  HostKernel planner;                       ///< loaded where the device is another
  std::optional<PlanReport> plan;
  RunReport report;
};
} // namespace

void driver::printRunError(const std::string &message) {
  llvm::raw_ostream &os = llvm::errs();
  bool colors = showsColors();
  os << "attn-run: ";
  if (colors)
    os.changeColor(llvm::raw_ostream::RED, /*Bold=*/true);
  os << "error: ";
  if (colors)
    os.resetColor();
  os << message << "\n";
}

ExitStatus driver::runProgram(const RunOptions &options) { return Session(options).run(); }
