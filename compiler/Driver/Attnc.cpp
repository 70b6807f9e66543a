//===- Attnc.cpp - The compiler as a program --------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/Attnc.h"
#include "compiler/Driver/Compilation.h"
#include "compiler/Driver/OutputFile.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/WithColor.h"
#include <ctime>

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
static std::optional<RunError> checkOptions(const AttncOptions &options) {
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
  return RunError{BadUsage, options.program + ": `" + name +
                                "` expects an .attn program, got IR, whose kernels are fixed"};
}

/// Says which defaults the kernels were compiled for.
static void noteDefaults(const AttncOptions &options, Compilation &compilation) {
  if (!compilation.isSource())
    return;
  std::string defaults;
  if (!options.hasDtype)
    defaults += " --dtype bf16";
  if (!options.hasHeadDim)
    defaults += " --head-dim 128";
  if (!defaults.empty())
    compilation.getDiagnostics().reportOther({}, Severity::Note,
                                             "compiled for the defaults" + defaults);
}

static std::optional<RunError> compile(const AttncOptions &options, Compilation &compilation) {
  if (std::optional<RunError> error = compilation.read(options.program))
    return error;
  if (!compilation.isSource())
    if (std::optional<RunError> error = checkOptions(options))
      return error;
  llvm::Expected<HostTarget> target = HostTarget::get(options.cpu);
  if (!target)
    return RunError{BadUsage, llvm::toString(target.takeError())};
  bool toStandardOutput = options.output.empty() || options.output == "-";
  if (options.explain) {
    // Beside what is written to standard output, the explanation is a message.
    std::string text;
    llvm::raw_string_ostream os(text);
    if (std::optional<RunError> error = compilation.explain(options.compile, *target, os))
      return error;
    if (options.emit && toStandardOutput)
      llvm::errs() << text;
    else if (std::optional<RunError> error = writeStandardOutput(text))
      return error;
  }
  if (!options.emit) {
    noteDefaults(options, compilation);
    return std::nullopt;
  }
  llvm::SmallVector<char, 0> output;
  llvm::raw_svector_ostream buffer(output);
  if (std::optional<RunError> error =
          compilation.write(*options.emit, options.compile, *target, buffer))
    return error;
  if (*options.emit != Phase::Ast)
    noteDefaults(options, compilation);
  if (llvm::Error error = writeOutput(toStandardOutput ? "-" : options.output,
                                      [&](llvm::raw_pwrite_stream &os) { os << buffer.str(); }))
    return RunError{Environment, llvm::toString(std::move(error))};
  return std::nullopt;
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
  {
    Compilation compilation(times);
    error = compile(options, compilation);
    DiagnosticEngine &diagnostics = compilation.getDiagnostics();
    if (options.jsonDiagnostics)
      diagnostics.printJSON(llvm::errs());
    else
      diagnostics.printText(llvm::errs(), llvm::errs().has_colors());
  }
  if (options.timePasses)
    times.print(llvm::errs());
  return error ? fail(*error) : Success;
}
