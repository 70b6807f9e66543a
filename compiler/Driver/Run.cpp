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
    if (options.device == RunDevice::Emulator)
      target = llvm::cantFail(PtxTarget::get(options.arch.empty() ? "sm_80" : options.arch));
    else
      target = llvm::cantFail(HostTarget::get(options.cpu.empty() ? "native" : options.cpu));
    target.tile = options.tile;
    // Faults are reported at the program's lines.
    target.lineInfo = true;
    if (auto error = program.prepare(target))
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

  std::optional<RunError> prepareDevice() {
    if (options.device == RunDevice::Host)
      return compileHost();
    if (options.device == RunDevice::Emulator)
      return compileForEmulator();
    launch = [this] { return launchReference(); };
    return std::nullopt;
  }

  /// Sets `host` to the kernel of `module`.
  std::optional<RunError> loadHostKernel(ModuleOp module, const HostTarget &cpu) {
    if (llvm::Error error = cpu.checkRunsHere())
      return RunError{Environment, llvm::toString(std::move(error))};
    auto kernels = compileForHost(module, Phase::Attn, cpu, times);
    if (!kernels) {
      std::string message = llvm::toString(kernels.takeError());
      return engine.hasErrors() ? reported : RunError{Environment, message};
    }
    host = kernels->front();
    return std::nullopt;
  }

  std::optional<RunError> compileHost() {
    if (auto error = loadHostKernel(program.getModule(), target.getHost()))
      return error;
    launch = [this]() -> std::optional<RunError> {
      const Plan *given = plan ? &plan->plan : nullptr;
      if (auto error = attnc::launch(host, bound, static_cast<int>(threads), given))
        return RunError{Environment, *error};
      return std::nullopt;
    };
    return options.checked ? reportClamped() : std::nullopt;
  }

  std::optional<RunError> compileForEmulator() {
    if (options.checked)
      if (auto error = checkIndicesOnHost())
        return error;
    GpuCode code;
    if (auto error = compileForGpu(program.getModule(), Phase::Attn, target, times, code))
      return error;
    if (auto error = emulated.load(code.ptx, code.kernels.front()))
      return RunError{InternalError, "internal error, please report: the emulator does not take "
                                     "the kernel: " +
                                         *error};
    emu::EmulationOptions emulation;
    emulation.schedules = emu::getSchedules(std::max(options.schedules, 1U), options.seed);
    emulation.perturbApproximations = options.perturbApproximations;
    emulation.workers = threads;
    emulation.multiprocessors = options.multiprocessors.value_or(1);
    emulation.splits = options.splits;
    emulation.countsStatistics = options.statistics;
    launch = [this, emulation]() -> std::optional<RunError> {
      if (auto error = emulated.launch(bound, emulation))
        return RunError{error->isFault ? CheckFailed : Environment, error->message};
      if (options.statistics)
        report.statistics = emulated.getStatistics();
      return std::nullopt;
    };
    return std::nullopt;
  }

  /// Kernels for GPUs report no clamped index; one of the same program for this CPU does.
  std::optional<RunError> checkIndicesOnHost() {
    OwningOpRef<ModuleOp> copy = program.getModule().clone();
    program.getKernel().setChecked(false);
    if (auto error = loadHostKernel(*copy, llvm::cantFail(HostTarget::get("native"))))
      return error;
    return reportClamped();
  }

  /// With --checked the kernel comes with a function that follows the loads of every pair.
  std::optional<RunError> reportClamped() {
    std::optional<ClampedIndex> clamped = findClampedIndex(host, bound, static_cast<int>(threads));
    if (!clamped)
      return std::nullopt;
    const LoadSite &site = host.loads[clamped->load];
    SourceRange range = engine.getSources().getRange(site.file, {site.line, site.column},
                                                     {site.endLine, site.endColumn});
    return reportClamped(*clamped, range);
  }

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

  /// On other devices than the host, loads the host's kernel for what it knows of the mask.
  std::optional<RunError> loadPlanner() {
    if (host.function)
      return std::nullopt;
    OwningOpRef<ModuleOp> copy = original->clone();
    return loadHostKernel(*copy, llvm::cantFail(HostTarget::get("native")));
  }

  /// Whether the kernel that is launched takes the blocks that were asked for.
  std::optional<RunError> checkMadePlan() const {
    if (options.device != RunDevice::Host || !needsResults())
      return std::nullopt;
    std::optional<std::string> error = plan->plan.check(host, bound);
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
      if (auto error = plan->plan.check(host, bound))
        return RunError{BadInput, "`" + options.loadPlan + "`: " + *error};
      plan->statistics = plan->plan.count(host.info);
    } else {
      PlanOptions wanted;
      if (options.planRows != 0) {
        wanted.rows = options.planRows;
        wanted.keys = options.planKeys;
      }
      wanted.refine = options.refinePlan;
      wanted.threads = static_cast<int>(threads);
      StageTimes::Scope stage = times.start("plan");
      if (auto error = makePlanReport(host, bound, wanted, *plan))
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
      if (auto violation = attnc::verifyPlan(plan->plan, host, bound, static_cast<int>(threads)))
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
    FailureOr<Judge> judge = Judge::create(getOriginal(), info, arguments, bound, threads);
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
    return bench(launch, flops, info.dtype == ElementType::BF16, threads, *report.bench);
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
    llvm::Expected<std::string> picture = draw(host, bound, static_cast<int>(threads));
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
  Target target;
  OwningOpRef<ModuleOp> original; ///< before --after
  HostKernel host;
  std::optional<PlanReport> plan;
  emu::EmulatedKernel emulated;
  LaunchFunction launch;
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
