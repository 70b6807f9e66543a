//===- Compilation.cpp - A program on its way through the phases ------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/Compilation.h"
#include "compiler/Driver/Explain.h"
#include "compiler/Driver/GpuCompiler.h"
#include "compiler/Driver/HostCompiler.h"
#include "compiler/Driver/RunPhases.h"
#include "compiler/Frontend/ASTPrinter.h"
#include "compiler/Frontend/Frontend.h"
#include "compiler/Frontend/Parser.h"
#include "compiler/Pipelines/Pipelines.h"
#include "compiler/Target/Host/HostCode.h"
#include "compiler/Target/KernelInfo/KernelAttributes.h"
#include "compiler/Target/KernelInfo/ReadMetadata.h"
#include "compiler/Target/Ptx/Ptxas.h"
#include "dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::driver;

/// Errors that diagnostics have told already.
static const RunError toldError{BadInput, ""};

Compilation::Compilation(StageTimes &times) : times(times) {
  // A message shows the user's line.
  context.printOpOnDiagnostic(false);
}

/// True if `text`, of standard input, is MLIR and not an .attn program.
static bool looksLikeMlir(llvm::StringRef text) {
  for (llvm::StringRef line : llvm::split(text, '\n')) {
    line = line.trim();
    // Comments of both, and aliases of attributes and locations.
    if (line.empty() || line.starts_with("//") || line.starts_with("#"))
      continue;
    for (llvm::StringRef start :
         {"module ", "builtin.module", "attn.kernel ", "tile.kernel ", "llvm."})
      if (line.starts_with(start))
        return true;
    return false;
  }
  return false;
}

std::optional<RunError> Compilation::read(const std::string &path) {
  StageTimes::Scope stage = times.start("read");
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
  if (!buffer)
    return RunError{Environment, path + ": cannot read: " + buffer.getError().message()};
  bool isStandardInput = path == "-";
  llvm::StringRef text = (*buffer)->getBuffer();
  llvm::StringRef suffix = llvm::sys::path::extension(path);
  if (!isStandardInput && suffix != ".attn" && suffix != ".mlir")
    return RunError{BadUsage, path + ": expected a file that ends in .attn or .mlir"};
  bool isProgram = isStandardInput ? !looksLikeMlir(text) : suffix == ".attn";
  if (auto error = readText(isStandardInput ? "<stdin>" : path, text.str()))
    return error;
  source = isProgram;
  return source ? std::nullopt : readModule(*file);
}

std::optional<RunError> Compilation::readText(const std::string &name, std::string text) {
  if (text.size() > SourceFile::maxSize)
    return RunError{BadInput, name + ": expected at most " + std::to_string(SourceFile::maxSize) +
                                  " bytes, got " + std::to_string(text.size())};
  file = &sources.add(name, std::move(text));
  source = true;
  return std::nullopt;
}

/// True if the body of a function has ops that LLVM IR cannot be made of.
static bool isAboveLlvm(Operation *function) {
  return function
      ->walk([function](Operation *op) {
        StringRef dialect = op->getName().getDialectNamespace();
        bool isLlvm = op == function || dialect == "llvm" || dialect == "nvvm";
        return isLlvm ? WalkResult::advance() : WalkResult::interrupt();
      })
      .wasInterrupted();
}

/// The kind of target that `op` of a module was scheduled or lowered for; nothing before, and for
/// functions that are no kernels.
static std::optional<TargetKind> findTargetKind(Operation &op) {
  if (auto kernel = dyn_cast<tile::KernelOp>(op))
    return kernel.getWarpScheduleAttr() ? TargetKind::Ptx : TargetKind::Host;
  if (op.hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()))
    return TargetKind::Ptx;
  return op.hasAttr(scratchBytesAttrName) ? std::optional(TargetKind::Host) : std::nullopt;
}

/// Sets `kind` to the kind of target that `module` is for. Fails after a diagnostic if its kernels
/// are for both.
static LogicalResult findTargetKind(ModuleOp module, std::optional<TargetKind> &kind) {
  Operation *first = nullptr;
  for (Operation &op : *module.getBody()) {
    std::optional<TargetKind> here = findTargetKind(op);
    if (!here)
      continue;
    if (first && *here != *kind) {
      auto describe = [](TargetKind kind) { return kind == TargetKind::Ptx ? "GPUs" : "the host"; };
      InFlightDiagnostic diagnostic = op.emitError("expected kernels for ")
                                      << describe(*kind) << ", as the first is, got one for "
                                      << describe(*here) << "; put them in two files";
      diagnostic.attachNote(first->getLoc()) << "the first kernel";
      return diagnostic;
    }
    first = &op;
    kind = here;
  }
  // Functions of unknown kind are code for CPUs.
  if (!first && !module.getOps<LLVM::LLVMFuncOp>().empty())
    kind = TargetKind::Host;
  return success();
}

/// The phase that IR is at: the first that one of its ops belongs to.
static std::optional<Phase> findPhase(ModuleOp module, std::optional<TargetKind> kind) {
  std::optional<Phase> phase;
  for (Operation &op : *module.getBody()) {
    auto here = llvm::StringSwitch<std::optional<Phase>>(op.getName().getStringRef())
                    .Case("attn.kernel", Phase::Attn)
                    .Case("tile.kernel", Phase::Tile)
                    .Case("llvm.func", Phase::Llvm)
                    .Default(std::nullopt);
    if (here == Phase::Llvm && isAboveLlvm(&op))
      here = kind == TargetKind::Ptx ? Phase::Nvvm : Phase::Vector;
    if (here && (!phase || *here < *phase))
      phase = here;
  }
  return phase;
}

std::optional<RunError> Compilation::readModule(const SourceFile &file) {
  DialectRegistry registry;
  insertAllDialects(registry);
  context.appendDialectRegistry(registry);
  llvm::SourceMgr manager;
  manager.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(file.getText(), file.getName()),
                             llvm::SMLoc());
  module = parseSourceFile<ModuleOp>(manager, &context);
  if (!module)
    return toldError;
  if (failed(findTargetKind(*module, targetKind)))
    return toldError;
  phase = findPhase(*module, targetKind);
  if (phase)
    return std::nullopt;
  return RunError{BadInput, file.getName().str() + ": expected an attn.kernel, a tile.kernel, or "
                                                   "functions that came of them, got none"};
}

const ast::Module *Compilation::parseSource() {
  StageTimes::Scope stage = times.start("parse");
  return parse(*file, trees, diagnostics);
}

std::string Compilation::getName(const CompileOptions &options) const {
  return !options.name.empty()          ? options.name
         : file->getName() == "<stdin>" ? "attn"
                                        : llvm::sys::path::stem(file->getName()).str();
}

std::optional<RunError> Compilation::analyse(const CompileOptions &options) {
  const ast::Module *tree = parseSource();
  StageTimes::Scope stage = times.start("analyse");
  FrontendOptions frontend;
  frontend.name = getName(options);
  frontend.shapes.clear();
  for (ElementType dtype : options.dtypes)
    for (const HeadDims &dims : options.headDims)
      frontend.shapes.push_back({dtype, dims.head, dims.value});
  frontend.lse = options.lse;
  frontend.checked = options.checked;
  for (const auto &[name, value] : options.defines)
    frontend.defines.push_back(name + "=" + value);
  frontend.approximate = options.approx;
  FrontendResult result = compileToAttn(*tree, frontend, sources, diagnostics, context);
  if (diagnostics.hasErrors())
    return toldError;
  if (!result.module)
    return RunError{BadUsage, llvm::join(result.usageErrors, "\n")};
  module = std::move(result.module);
  // The cleanup that gives the form `attn` is still to come.
  phase = Phase::Ast;
  return std::nullopt;
}

std::optional<RunError> Compilation::runTo(Phase to, const CompileOptions &options,
                                           const Target &target) {
  if (!phase)
    if (std::optional<RunError> error = analyse(options))
      return error;
  if (failed(runPhases(*module, *phase, to, target, times)))
    return toldError;
  phase = std::max(*phase, to);
  return std::nullopt;
}

std::optional<RunError> Compilation::write(Phase form, const CompileOptions &options,
                                           const Target &target, llvm::raw_pwrite_stream &os) {
  if (form == Phase::Ast && source) {
    const ast::Module *tree = parseSource();
    if (diagnostics.hasErrors())
      return toldError;
    ast::print(*tree, os);
    return std::nullopt;
  }
  if (phase && form < *phase)
    return RunError{BadUsage, file->getName().str() + ": expected a form from `" +
                                  getInfo(*phase).name.str() + "`, which it is in, on, got `" +
                                  getInfo(form).name.str() + "`"};
  if (std::optional<RunError> error = runTo(std::min(form, Phase::Llvm), options, target))
    return error;
  if (getInfo(form).form == PhaseForm::Mlir) {
    module->print(os);
    os << '\n';
    return std::nullopt;
  }
  if (target.getKind() == TargetKind::Ptx)
    return writeForGpu(form, options, target, os);
  llvm::LLVMContext llvmContext;
  std::vector<HostLevel> levels(1);
  if (llvm::Error error =
          translateForHost(*module, target.getHost(), llvmContext, times).moveInto(levels[0]))
    return RunError{InternalError, llvm::toString(std::move(error))};
  return writeLevels(form, std::move(levels), os);
}

std::optional<RunError> Compilation::writeLevels(Phase form, std::vector<HostLevel> levels,
                                                 llvm::raw_ostream &os) {
  // All of it or nothing.
  llvm::SmallVector<char, 0> code;
  llvm::raw_svector_ostream buffer(code);
  if (llvm::Error error = writeHostCode(std::move(levels), form, times, buffer))
    return RunError{InternalError, llvm::toString(std::move(error))};
  os << buffer.str();
  return std::nullopt;
}

std::optional<RunError> Compilation::writeForLevels(Phase form, const CompileOptions &options,
                                                    llvm::ArrayRef<Target> targets,
                                                    llvm::raw_ostream &os) {
  llvm::LLVMContext llvmContext;
  std::vector<HostLevel> levels;
  if (std::optional<RunError> error =
          forEachTarget(options, targets, [&](const Target &target) -> std::optional<RunError> {
            if (std::optional<RunError> error = runTo(Phase::Llvm, options, target))
              return error;
            llvm::Expected<HostLevel> level =
                translateForHost(*module, target.getHost(), llvmContext, times);
            if (!level)
              return RunError{InternalError, llvm::toString(level.takeError())};
            levels.push_back(std::move(*level));
            return std::nullopt;
          }))
    return error;
  return writeLevels(form, std::move(levels), os);
}

std::optional<RunError> Compilation::makePtx(const CompileOptions &options, const Target &target) {
  if (ptx)
    return std::nullopt;
  if (std::optional<RunError> error = runTo(Phase::Llvm, options, target))
    return error;
  std::string text;
  llvm::raw_string_ostream os(text);
  if (std::optional<RunError> error = writeGpuCode(*module, Phase::Ptx, target, times, os))
    return error;
  ptx = std::move(text);
  return std::nullopt;
}

std::optional<RunError> Compilation::writeForGpu(Phase form, const CompileOptions &options,
                                                 const Target &target, llvm::raw_ostream &os) {
  if (form == Phase::LlvmIr)
    return writeGpuCode(*module, form, target, times, os);
  if (std::optional<RunError> error = makePtx(options, target))
    return error;
  if (form == Phase::Ptx) {
    os << *ptx;
    return std::nullopt;
  }
  StageTimes::Scope stage = times.start(getInfo(form).name);
  llvm::Expected<Cubin> cubin = assemblePtx(*ptx, target.getPtx(), target.lineInfo);
  if (!cubin)
    return RunError{Environment, llvm::toString(cubin.takeError())};
  if (!cubin->warnings.empty())
    diagnostics.reportOther({}, Severity::Warning, "ptxas: " + cubin->warnings);
  os << cubin->code->getBuffer();
  return std::nullopt;
}

std::string Compilation::getIdentifier(const CompileOptions &options) const {
  std::string name = getName(options);
  for (char &c : name)
    if (!llvm::isAlnum(c))
      c = '_';
  return llvm::isDigit(name.front()) ? "_" + name : name;
}

std::optional<RunError> Compilation::makeGpuModule(const CompileOptions &options,
                                                   const Target &target, GpuModule &gpuModule) {
  if (std::optional<RunError> error = makePtx(options, target))
    return error;
  gpuModule.target = target.getPtx();
  gpuModule.ptx = *ptx;
  llvm::Expected<llvm::json::Array> metadata =
      readMetadata(llvm::MemoryBufferRef(*ptx, file->getName()));
  if (!metadata)
    return RunError{BadInput, file->getName().str() + ": " + llvm::toString(metadata.takeError())};
  gpuModule.metadata = std::move(*metadata);
  return std::nullopt;
}

std::optional<RunError>
Compilation::forEachTarget(const CompileOptions &options, llvm::ArrayRef<Target> targets,
                           llvm::function_ref<std::optional<RunError>(const Target &)> compile) {
  if (targets.size() == 1)
    return compile(targets.front());
  // What is expanded depends on the CPU.
  bool areGpus = llvm::all_of(
      targets, [](const Target &target) { return target.getKind() == TargetKind::Ptx; });
  Phase last = areGpus ? Phase::Expanded : Phase::Attn;
  if (!phase || *phase < last)
    if (std::optional<RunError> error = runTo(last, options, targets.front()))
      return error;
  OwningOpRef<ModuleOp> shared = std::move(module);
  Phase sharedPhase = *phase;
  for (const Target &target : targets) {
    module = shared->clone();
    phase = sharedPhase;
    ptx.reset();
    if (std::optional<RunError> error = compile(target))
      return error;
  }
  return std::nullopt;
}

std::optional<RunError> Compilation::explain(const CompileOptions &options, const Target &target,
                                             llvm::raw_ostream &os) {
  if (phase && *phase > Phase::Tile)
    return RunError{BadUsage, file->getName().str() +
                                  ": `--explain` expects a program or a form "
                                  "up to `tile`, got `" +
                                  getInfo(*phase).name.str() + "`"};
  if (!phase)
    if (std::optional<RunError> error = analyse(options))
      return error;
  return failed(driver::explain(*module, *phase, target, sources, times, os))
             ? std::optional(toldError)
             : std::nullopt;
}
