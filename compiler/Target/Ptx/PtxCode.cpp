//===- PtxCode.cpp - LLVM IR and PTX of kernels for GPUs --------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Target/Ptx/PtxCode.h"
#include "compiler/Target/KernelInfo/KernelAttributes.h"
#include "compiler/Target/KernelInfo/KernelMetadata.h"
#include "compiler/Target/KernelInfo/SlotNames.h"
#include "compiler/Target/Ptx/ReadablePtx.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "runtime/ThreadPool.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Pass.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"

using namespace mlir;
using namespace attnc;

/// The address space of global memory.
static constexpr unsigned globalSpace = 1;

void attnc::registerPtxTranslations(MLIRContext &context) {
  registerBuiltinDialectTranslation(context);
  registerLLVMDialectTranslation(context);
  registerNVVMDialectTranslation(context);
}

/// Whether `function` is the first entry of a kernel.
static bool isKernel(LLVM::LLVMFuncOp function) {
  return function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()) &&
         !function->hasAttr(entryOfAttrName);
}

static int64_t getInt(LLVM::LLVMFuncOp function, StringRef name) {
  auto value = function->getAttrOfType<IntegerAttr>(name);
  return value ? value.getInt() : 0;
}

static int64_t getThreads(LLVM::LLVMFuncOp function) {
  auto threads =
      function->getAttrOfType<DenseI32ArrayAttr>(NVVM::NVVMDialect::getReqntidAttrName());
  return threads && !threads.empty() ? threads[0] : 0;
}

/// The entry of the kernel `function` with `suffix` behind its name, or null.
static LLVM::LLVMFuncOp findEntry(LLVM::LLVMFuncOp function, const char *suffix) {
  auto module = function->getParentOfType<ModuleOp>();
  auto entry = module.lookupSymbol<LLVM::LLVMFuncOp>((function.getName() + suffix).str());
  bool isOfKernel = entry && entry->getAttr(entryOfAttrName) == function.getNameAttr();
  return isOfKernel ? entry : LLVM::LLVMFuncOp();
}

/// The entries for short grids of `function`, if it has them.
static std::optional<ShortGrid> describeShortGrid(LLVM::LLVMFuncOp function) {
  LLVM::LLVMFuncOp entry = findEntry(function, GpuKernel::shortSuffix);
  LLVM::LLVMFuncOp combine = findEntry(function, GpuKernel::combineSuffix);
  if (!entry || !combine)
    return std::nullopt;
  ShortGrid grid;
  grid.rows = getInt(entry, queryBlockAttrName);
  grid.packsHeads = entry->hasAttr(packsHeadsAttrName);
  grid.threads = getThreads(entry);
  grid.sharedBytes = getInt(entry, sharedBytesAttrName);
  grid.combineThreads = getThreads(combine);
  grid.combineSharedBytes = getInt(combine, sharedBytesAttrName);
  return grid;
}

/// What NAME_summarize of `function` makes, if it has it.
static std::optional<TableSummaries> describeSummaries(LLVM::LLVMFuncOp function) {
  LLVM::LLVMFuncOp entry = findEntry(function, GpuKernel::summarizeSuffix);
  auto facts = entry ? entry->getAttrOfType<DictionaryAttr>(summariesAttrName) : DictionaryAttr();
  if (!facts)
    return std::nullopt;
  TableSummaries summaries;
  summaries.blockSize = getInt(entry, queryBlockAttrName);
  summaries.threads = getThreads(entry);
  summaries.sharedBytes = getInt(entry, sharedBytesAttrName);
  summaries.keyValues = facts.getAs<IntegerAttr>("key_values").getInt();
  summaries.queryValues = facts.getAs<IntegerAttr>("query_values").getInt();
  summaries.perBatch = facts.getAs<BoolAttr>("per_batch").getValue();
  summaries.perHead = facts.getAs<BoolAttr>("per_head").getValue();
  return summaries;
}

GpuKernel attnc::describeGpuKernel(LLVM::LLVMFuncOp function) {
  GpuKernel kernel;
  kernel.info.name = function.getName().str();
  kernel.queryBlock = getInt(function, queryBlockAttrName);
  kernel.sharedBytes = getInt(function, sharedBytesAttrName);
  kernel.threads = getThreads(function);
  kernel.shortGrid = describeShortGrid(function);
  if (auto products = function->getAttrOfType<StringAttr>(productsAttrName))
    kernel.products = products.str();
  kernel.summaries = describeSummaries(function);
  return kernel;
}

/// The metadata of `function` with what its code knows.
static llvm::json::Object getMetadata(LLVM::LLVMFuncOp function, const PtxTarget &target) {
  GpuKernel kernel = describeGpuKernel(function);
  llvm::json::Object facts{{"arch", target.arch},
                           {"query_block", kernel.queryBlock},
                           {"threads", kernel.threads},
                           {"shared_bytes", kernel.sharedBytes}};
  if (!kernel.products.empty())
    facts["products"] = kernel.products;
  if (kernel.shortGrid) {
    const ShortGrid &grid = *kernel.shortGrid;
    facts["short_grid"] = llvm::json::Object{{"rows", grid.rows},
                                             {"packs_heads", grid.packsHeads},
                                             {"threads", grid.threads},
                                             {"shared_bytes", grid.sharedBytes},
                                             {"combine_threads", grid.combineThreads},
                                             {"combine_shared_bytes", grid.combineSharedBytes}};
  }
  if (kernel.summaries) {
    const TableSummaries &summaries = *kernel.summaries;
    facts["summaries"] = llvm::json::Object{
        {"block", summaries.blockSize},          {"threads", summaries.threads},
        {"shared_bytes", summaries.sharedBytes}, {"key_values", summaries.keyValues},
        {"query_values", summaries.queryValues}, {"per_batch", summaries.perBatch},
        {"per_head", summaries.perHead}};
  }
  return getKernelMetadata(function, std::move(facts));
}

/// The LLVM IR of `module`, without metadata.
static std::unique_ptr<llvm::Module> translate(ModuleOp module, llvm::LLVMContext &context,
                                               const llvm::TargetMachine &machine) {
  std::string layout = machine.createDataLayout().getStringRepresentation();
  // The translation takes the alignment of loads and stores from it.
  module->setAttr(LLVM::LLVMDialect::getDataLayoutAttrName(),
                  StringAttr::get(module.getContext(), layout));
  std::unique_ptr<llvm::Module> result = translateModuleToLLVMIR(
      module, context, module.getName().value_or("attnc"), /*disableVerification=*/true);
  module->removeAttr(LLVM::LLVMDialect::getDataLayoutAttrName());
  if (!result)
    return nullptr;
  result->setTargetTriple(machine.getTargetTriple());
  for (llvm::Function &function : *result) {
    function.addFnAttr(llvm::Attribute::NoUnwind);
    // The op for inline assembly cannot say that all threads of a warp must come to it together.
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = dyn_cast<llvm::CallInst>(&instruction); call && call->isInlineAsm())
        call->setConvergent();
  }
  return result;
}

std::unique_ptr<llvm::Module> attnc::translateToLLVMIR(ModuleOp module, llvm::LLVMContext &context,
                                                       const PtxTarget &target) {
  std::unique_ptr<llvm::Module> result = translate(module, context, *target.createTargetMachine());
  if (!result)
    return nullptr;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (isKernel(function))
      addMetadata(*result, function.getName(), getMetadata(function, target), globalSpace);
  return result;
}

PtxPart::PtxPart() : context(std::make_unique<llvm::LLVMContext>()) {}
PtxPart::PtxPart(PtxPart &&) noexcept = default;
PtxPart::~PtxPart() = default;

/// The functions of `module` with code in groups that do not name each other, of which each has one
/// entry or the entries of a kernel for short grids, which are small.
static SmallVector<SmallVector<LLVM::LLVMFuncOp>> groupFunctions(ModuleOp module) {
  SmallVector<LLVM::LLVMFuncOp> functions;
  llvm::DenseMap<Operation *, unsigned> numbers;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (!function.isExternal()) {
      numbers[function] = static_cast<unsigned>(functions.size());
      functions.push_back(function);
    }
  llvm::IntEqClasses groups(static_cast<unsigned>(functions.size()));
  llvm::DenseMap<Attribute, unsigned> shortGrids;
  for (LLVM::LLVMFuncOp function : functions) {
    unsigned number = numbers.lookup(function);
    if (Attribute name = function->getAttr(entryOfAttrName))
      groups.join(shortGrids.try_emplace(name, number).first->second, number);
    auto unite = [&](std::optional<StringRef> name) {
      auto other = name ? module.lookupSymbol<LLVM::LLVMFuncOp>(*name) : LLVM::LLVMFuncOp();
      if (auto found = other ? numbers.find(other) : numbers.end(); found != numbers.end())
        groups.join(number, found->second);
    };
    function.walk([&](Operation *op) {
      if (auto call = dyn_cast<LLVM::CallOp>(op))
        unite(call.getCallee());
      else if (auto address = dyn_cast<LLVM::AddressOfOp>(op))
        unite(address.getGlobalName());
    });
  }
  auto getGroup = [&](LLVM::LLVMFuncOp function) {
    return groups.findLeader(numbers.lookup(function));
  };
  llvm::MapVector<unsigned, SmallVector<LLVM::LLVMFuncOp>> result;
  // Groups are in the order of their entries.
  for (LLVM::LLVMFuncOp function : functions)
    if (function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()))
      result[getGroup(function)];
  for (LLVM::LLVMFuncOp function : functions)
    result[getGroup(function)].push_back(function);
  return llvm::to_vector(llvm::make_second_range(result));
}

std::optional<std::vector<PtxPart>> attnc::translateParts(ModuleOp module, const PtxTarget &target,
                                                          int threads) {
  // What is known of a kernel is in its other entries, too.
  llvm::DenseMap<Operation *, llvm::json::Object> metadata;
  SmallVector<Operation *> order, shared;
  bool isClosed = true;
  for (Operation &op : *module.getBody()) {
    order.push_back(&op);
    auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
    if (!function)
      shared.push_back(&op);
    else if (isKernel(function))
      metadata[function] = getMetadata(function, target);
    isClosed &= !function || !function.isExternal();
  }
  SmallVector<SmallVector<LLVM::LLVMFuncOp>> groups = groupFunctions(module);
  if (threads == 1 || !isClosed) {
    SmallVector<LLVM::LLVMFuncOp> all;
    for (ArrayRef<LLVM::LLVMFuncOp> group : groups)
      all.append(group.begin(), group.end());
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      if (function.isExternal())
        all.push_back(function);
    groups.assign({all});
  }
  std::unique_ptr<llvm::TargetMachine> machine = target.createTargetMachine();
  std::vector<PtxPart> parts;
  bool failed = false;
  for (ArrayRef<LLVM::LLVMFuncOp> functions : groups) {
    OwningOpRef<ModuleOp> own = ModuleOp::create(module.getLoc(), module.getName());
    own->getOperation()->setAttrs(module->getAttrDictionary());
    for (Operation *op : shared)
      own->push_back(op->clone());
    // Moved and not cloned, as there are thousands of ops in them.
    for (LLVM::LLVMFuncOp function : functions)
      function->moveBefore(own->getBody(), own->getBody()->end());
    PtxPart &part = parts.emplace_back();
    part.ir = translate(*own, *part.context, *machine);
    for (LLVM::LLVMFuncOp function : functions) {
      if (auto known = metadata.find(function); part.ir && known != metadata.end())
        addMetadata(*part.ir, function.getName(), std::move(known->second), globalSpace);
      function->moveBefore(module.getBody(), module.getBody()->end());
    }
    failed |= !part.ir;
  }
  for (Operation *op : order)
    op->moveBefore(module.getBody(), module.getBody()->end());
  return failed ? std::nullopt : std::optional(std::move(parts));
}

/// What a kernel is, in comments.
static void writeSummary(LLVM::LLVMFuncOp function, const PtxTarget &target,
                         llvm::raw_ostream &os) {
  GpuKernel kernel = describeGpuKernel(function);
  os << "//\n// " << kernel.info.name << '\n';
  if (auto summary = function->getAttrOfType<ArrayAttr>(summaryAttrName))
    for (auto line : summary.getAsRange<StringAttr>())
      os << "//   " << line.getValue() << '\n';
  os << llvm::formatv("//   launch     {0} rows of queries a block of {1} threads, {2} bytes of "
                      "dynamic shared memory\n",
                      kernel.queryBlock, kernel.threads, kernel.sharedBytes);
  if (const std::optional<ShortGrid> &grid = kernel.shortGrid)
    os << llvm::formatv(
        "//              {0}{1}: {2} rows of {3} a block of {4} threads, {5} bytes\n"
        "//              {0}{6}: one row a block of {7} threads, {8} bytes\n",
        kernel.info.name, GpuKernel::shortSuffix, grid->rows,
        grid->packsHeads ? "a group of heads" : "a head", grid->threads, grid->sharedBytes,
        GpuKernel::combineSuffix, grid->combineThreads, grid->combineSharedBytes);
  if (const std::optional<TableSummaries> &summaries = kernel.summaries)
    os << llvm::formatv("//              {0}{1}, before the others: {2} keys or queries a thread, "
                        "blocks of {3} threads, {4} bytes\n",
                        kernel.info.name, GpuKernel::summarizeSuffix, summaries->blockSize,
                        summaries->threads, summaries->sharedBytes);
  os << "//   " << llvm::json::Value(getMetadata(function, target)) << '\n';
}

/// The names of parameters that `module` gives.
static llvm::StringMap<PtxParameter> getParameters(ModuleOp module, const PtxTarget &target) {
  llvm::StringMap<PtxParameter> parameters;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      auto name = function.getArgAttrOfType<StringAttr>(i, parameterNameAttrName);
      if (!name)
        continue;
      PtxParameter parameter{name.str(), {}};
      auto entryOf = function->getAttrOfType<StringAttr>(entryOfAttrName);
      auto main = entryOf ? module.lookupSymbol<LLVM::LLVMFuncOp>(entryOf) : function;
      if (i == 0 && main && isKernel(main))
        parameter.slots = getSlotNames(getMetadata(main, target));
      parameters[(function.getName() + "_param_" + llvm::Twine(i)).str()] = std::move(parameter);
    }
  return parameters;
}

/// Passes of LLVM for NVPTX whose work ptxas does again: without them registers, spills and the
/// lengths of loops are the same or smaller.
static constexpr llvm::StringLiteral needlessPasses[] = {
    "Straight line strength reduction", "Nary reassociation", "Early CSE",
    "GPU Load and Store Vectorizer", "Constant Hoisting"};

namespace {
/// Adds passes to `to`, but for those that are not needed.
class NeededPasses : public llvm::legacy::PassManagerBase {
public:
  explicit NeededPasses(llvm::legacy::PassManager &to) : to(to) {}

  void add(llvm::Pass *pass) override {
    const auto *found = llvm::find(needlessPasses, pass->getPassName());
    if (found == std::end(needlessPasses))
      return to.add(pass);
    known |= 1U << (found - std::begin(needlessPasses));
    delete pass;
  }
  /// Whether LLVM has passes of all these names.
  bool areNamesKnown() const { return known == (1U << std::size(needlessPasses)) - 1; }

private:
  llvm::legacy::PassManager &to;
  unsigned known = 0;
};
} // namespace

/// The PTX that LLVM makes of `ir`.
static std::string compile(llvm::Module &ir, const PtxTarget &target) {
  std::unique_ptr<llvm::TargetMachine> machine = target.createTargetMachine();
  llvm::SmallVector<char, 0> text;
  llvm::raw_svector_ostream buffer(text);
  llvm::legacy::PassManager passes;
  // What comes from the IR's dialects is sums of products of constants; folded, it takes fewer
  // registers.
  passes.add(llvm::createTargetTransformInfoWrapperPass(machine->getTargetIRAnalysis()));
  passes.add(llvm::createInstructionCombiningPass());
  NeededPasses needed(passes);
  [[maybe_unused]] bool unsupported = machine->addPassesToEmitFile(
      needed, buffer, /*DwoOut=*/nullptr, llvm::CodeGenFileType::AssemblyFile);
  assert(!unsupported && "NVPTX writes assembly");
  assert(needed.areNamesKnown() && "LLVM has these passes");
  passes.run(ir);
  return buffer.str().str();
}

void attnc::emitPtx(ModuleOp module, std::vector<PtxPart> parts, const PtxTarget &target,
                    const std::vector<std::string> &phases, bool lineInfo, int threads,
                    llvm::raw_ostream &os) {
  os << llvm::formatv("// Fused attention kernels for {0}, PTX {1}.{2}, by attnc.\n",
                      target.describeGpus(), target.ptxVersion / 10, target.ptxVersion % 10);
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (isKernel(function))
      writeSummary(function, target, os);
  // The largest first, since the others fit beside it.
  SmallVector<std::pair<unsigned, size_t>> order;
  for (auto [i, part] : llvm::enumerate(parts))
    order.push_back({part.ir->getInstructionCount(), i});
  llvm::sort(order, [](auto a, auto b) {
    return std::pair(b.first, a.second) < std::pair(a.first, b.second);
  });
  std::vector<std::string> texts(parts.size());
  ThreadPool::get().run(static_cast<int64_t>(parts.size()), threads, [&](int64_t task, int) {
    size_t i = order[task].second;
    texts[i] = compile(*parts[i].ir, target);
    parts[i].ir.reset();
    parts[i].context.reset();
  });
  writeReadablePtx(texts, {phases, getParameters(module, target), lineInfo}, os);
}
