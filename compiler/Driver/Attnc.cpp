//===- Attnc.cpp - The compiler as a program --------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/Attnc.h"
#include "compiler/Driver/Compilation.h"
#include "compiler/Driver/OutputFile.h"
#include "compiler/Driver/PackageBuilder.h"
#include "compiler/Target/Host/HostHeader.h"
#include "compiler/Target/KernelInfo/KernelInfo.h"
#include "compiler/Target/KernelInfo/ReadMetadata.h"
#include "compiler/Target/Ptx/LaunchHeader.h"
#include "runtime/cache/DiskCache.h"
#include "runtime/package/Package.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"
#include <ctime>
#include <list>

using namespace attnc;
using namespace attnc::driver;

/// The time this process has computed before it reached the code of the driver.
static double getStartMilliseconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

static int fail(const RunError &error) {
  if (!error.message.empty())
    llvm::WithColor::error(llvm::errs(), "attnc") << error.message << '\n';
  return error.status;
}

/// Options that say how to compile an .attn program, given for something else.
static std::optional<RunError> checkOptions(const AttncOptions &options,
                                            const std::string &program) {
  const CompileOptions &compile = options.compile;
  const char *name = options.hasDtype             ? "--dtype"
                     : options.hasHeadDim         ? "--head-dim"
                     : compile.lse                ? "--lse"
                     : compile.checked            ? "--checked"
                     : !compile.name.empty()      ? "--name"
                     : !compile.defines.empty()   ? "-D"
                     : !compile.approx.empty()    ? "--approx"
                     : options.emit == Phase::Ast ? "--emit=ast"
                                                  : nullptr;
  if (!name)
    return std::nullopt;
  return RunError{BadUsage, program + ": `" + name +
                                "` expects an .attn program, got IR, whose kernels are fixed"};
}

/// What `--tf32` or `--tf32x3` does not go with in a program, or nothing.
static std::optional<RunError> checkTf32(const AttncOptions &options, const std::string &program,
                                         Compilation &compilation) {
  const char *name = options.tf32.getName();
  if (!name)
    return std::nullopt;
  std::optional<Phase> phase = compilation.getPhase();
  std::vector<ElementType> dtypes = options.compile.dtypes;
  if (!compilation.isSource()) {
    if (phase >= Phase::Tile)
      return RunError{BadUsage, program + ": `" + name +
                                    "` expects a program or a form before `tile`, got `" +
                                    getInfo(*phase).name.str() + "`"};
    dtypes.clear();
    for (auto kernel : compilation.getModule().getOps<attn::KernelOp>())
      dtypes.push_back(getKernelInfo(kernel).dtype);
  }
  if (std::optional<std::string> error = options.tf32.checkDtypes(dtypes))
    return RunError{BadUsage, program + ": " + *error};
  return std::nullopt;
}

/// Says which defaults the kernels were compiled for.
static void noteDefaults(const AttncOptions &options, llvm::ArrayRef<Target> targets,
                         Compilation &compilation) {
  if (!compilation.isSource())
    return;
  std::string defaults;
  if (!options.hasDtype)
    defaults += " --dtype bf16";
  if (!options.hasHeadDim)
    defaults += " --head-dim 128";
  if (options.archs.empty() && targets.front().getKind() == TargetKind::Ptx)
    defaults += " --arch " + targets.front().getName();
  if (!defaults.empty())
    compilation.getDiagnostics().reportOther({}, Severity::Note,
                                             "compiled for the defaults" + defaults);
}

static bool writesToStandardOutput(const AttncOptions &options) {
  return options.output.empty() || options.output == "-";
}

namespace {
/// All that a run of the compiler writes.
struct Results {
  std::string explanation;
  std::vector<Output> files;
  std::vector<GpuModule> gpuModules; ///< of the header
  std::string identifier;            ///< of the program of the header
  PackageBuilder package;
};
} // namespace

/// Adds one object file or image for all `targets`, which are levels of CPUs.
static std::optional<RunError> compileForLevels(llvm::ArrayRef<Target> targets,
                                                const AttncOptions &options,
                                                Compilation &compilation, Results &results) {
  if (options.explain) {
    llvm::raw_string_ostream os(results.explanation);
    Target here = llvm::cantFail(HostTarget::get("native"));
    if (std::optional<RunError> error = compilation.explain(options.compile, here, os))
      return error;
  }
  Output &file = results.files.emplace_back(Output{getOutputPath(options, "host"), ""});
  llvm::raw_string_ostream os(file.text);
  return compilation.writeForLevels(*options.emit, options.compile, targets, os);
}

/// Adds what is asked for of `target`.
static std::optional<RunError> compileFor(const Target &target, const AttncOptions &options,
                                          Compilation &compilation, Results &results) {
  if (options.explain) {
    llvm::raw_string_ostream os(results.explanation);
    if (std::optional<RunError> error = compilation.explain(options.compile, target, os))
      return error;
  }
  if (options.isPackage())
    return results.package.add(options, compilation, target);
  if (options.emit) {
    llvm::SmallVector<char, 0> text;
    llvm::raw_svector_ostream buffer(text);
    if (std::optional<RunError> error =
            compilation.write(*options.emit, options.compile, target, buffer))
      return error;
    results.files.push_back({getOutputPath(options, target.getName()), buffer.str().str()});
  }
  if (options.header.empty() || target.getKind() == TargetKind::Host)
    return std::nullopt;
  return compilation.makeGpuModule(options.compile, target, results.gpuModules.emplace_back());
}

/// Adds what is asked for of the file `program`.
static std::optional<RunError> compile(const AttncOptions &options, const std::string &program,
                                       Compilation &compilation, Results &results) {
  if (std::optional<RunError> error = compilation.read(program))
    return error;
  if (!compilation.isSource())
    if (std::optional<RunError> error = checkOptions(options, program))
      return error;
  std::optional<Phase> phase = compilation.getPhase();
  if (!options.tile.empty() && phase >= Phase::Tile)
    return RunError{BadUsage, program +
                                  ": `--tile` expects a program or a form before "
                                  "`tile`, got `" +
                                  getInfo(*phase).name.str() + "`"};
  if (std::optional<RunError> error = checkTf32(options, program, compilation))
    return error;
  llvm::Expected<std::vector<Target>> targets =
      chooseTargets(options, compilation.getTargetKind(), phase >= Phase::Expanded);
  if (!targets)
    return RunError{BadUsage, program + ": " + llvm::toString(targets.takeError())};
  if (options.isPackage())
    if (std::optional<RunError> error =
            results.package.begin(compilation.getName(options.compile), program))
      return error;
  bool isJoined =
      !options.isPackage() && targets->size() > 1 && targets->front().getKind() == TargetKind::Host;
  if (std::optional<RunError> error =
          isJoined
              ? compileForLevels(*targets, options, compilation, results)
              : compilation.forEachTarget(options.compile, *targets, [&](const Target &target) {
                  return compileFor(target, options, compilation, results);
                }))
    return error;
  results.identifier = compilation.getIdentifier(options.compile);
  if (options.emit != Phase::Ast && program == options.programs.front())
    noteDefaults(options, *targets, compilation);
  return std::nullopt;
}

/// The metadata of the kernels in an object file that has just been made.
static llvm::json::Array readObject(const Output &file) {
  return llvm::cantFail(readMetadata(llvm::MemoryBufferRef(file.text, file.path)));
}

/// Writes everything.
static std::optional<RunError> write(const AttncOptions &options, Results &results) {
  if (options.isPackage())
    results.files.push_back({options.output, results.package.finish()});
  if (!options.header.empty()) {
    Output header{options.header, ""};
    llvm::raw_string_ostream os(header.text);
    if (options.emit == Phase::Obj)
      writeHostHeader(results.identifier, readObject(results.files.front()), os);
    else
      writeLaunchHeader(results.identifier, results.gpuModules, os);
    results.files.push_back(std::move(header));
  }
  // Beside what is written to standard output, the explanation is a message.
  bool isMessage = (options.emit && writesToStandardOutput(options)) || options.header == "-";
  if (isMessage)
    llvm::errs() << results.explanation;
  else if (std::optional<RunError> error = writeStandardOutput(results.explanation))
    return error;
  if (llvm::Error error = writeOutputs(results.files))
    return RunError{Environment, llvm::toString(std::move(error))};
  return std::nullopt;
}

/// Compiles all programs and writes what they become, or nothing.
static std::optional<RunError> compileAll(const AttncOptions &options, StageTimes &times) {
  Results results;
  std::list<Compilation> compilations; // what they say comes after what is written
  std::optional<RunError> error;
  for (const std::string &program : options.programs)
    if (!error)
      error = compile(options, program, compilations.emplace_back(times), results);
  if (!error)
    error = write(options, results);
  for (Compilation &compilation : compilations) {
    DiagnosticEngine &diagnostics = compilation.getDiagnostics();
    if (options.jsonDiagnostics)
      diagnostics.printJSON(llvm::errs());
    else
      diagnostics.printText(llvm::errs(), llvm::errs().has_colors());
  }
  return error;
}

/// Prints the metadata of the kernels in a file.
static std::optional<RunError> inspect(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/false,
                                                 /*RequiresNullTerminator=*/false);
  if (!file)
    return RunError{Environment, path + ": cannot read: " + file.getError().message()};
  bool hasPackage = isPackage((*file)->getBuffer());
  llvm::Expected<llvm::json::Array> metadata =
      hasPackage ? describePackage((*file)->getBuffer()) : readMetadata(**file);
  if (!metadata)
    return RunError{BadInput, path + ": " + llvm::toString(metadata.takeError())};
  return writeStandardOutput(
      llvm::formatv("{0:2}\n", llvm::json::Value(std::move(*metadata))).str());
}

/// Prints what is in the cache of compiled kernels, or removes it.
static std::optional<RunError> manageCache(const AttncOptions &options) {
  DiskCache cache(DiskCache::getDefaultFolder());
  if (options.cacheClear)
    if (std::optional<std::string> error = cache.clear())
      return RunError{Environment, *error};
  DiskCache::Info info = cache.getInfo();
  if (!info.problem.empty())
    return RunError{Environment, info.problem};
  if (!options.cacheInfo)
    return std::nullopt;
  return writeStandardOutput(llvm::formatv("folder   {0}\nkernels  {1}\nbytes    {2}\n",
                                           cache.getFolder(), info.entries, info.bytes)
                                 .str());
}

int driver::runAttnc(const std::vector<std::string> &words) {
  StageTimes times;
  times.add("start of the process", getStartMilliseconds());
  AttncOptions options;
  if (std::optional<std::string> error = parseAttncOptions(words, options))
    return fail({BadUsage, *error});
  std::optional<RunError> error;
  if (options.help || options.version) {
    error = writeStandardOutput(options.help ? getAttncHelp()
                                             : "attnc " ATTNC_VERSION
                                               " with LLVM " LLVM_VERSION_STRING "\n");
    return error ? fail(*error) : Success;
  }
  if (options.cacheInfo || options.cacheClear) {
    error = manageCache(options);
    return error ? fail(*error) : Success;
  }
  if (!options.inspect.empty()) {
    error = inspect(options.inspect);
    return error ? fail(*error) : Success;
  }
  error = compileAll(options, times);
  if (options.timePasses)
    times.print(llvm::errs());
  return error ? fail(*error) : Success;
}
