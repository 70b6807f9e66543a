//===- LaunchFunctions.cpp - Kernels as functions of C ----------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Target/Host/LaunchFunctions.h"
#include "attnc/ArgumentLayout.h"
#include "attnc/CpuFeatures.h"
#include "attnc/HostKernel.h"
#include "attnc/KernelMetadata.h"
#include "compiler/Target/Host/HostCode.h"
#include "compiler/Target/KernelInfo/KernelMetadata.h"
#include "compiler/Target/KernelInfo/MetadataFields.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SourceMgr.h"
#include <map>

using namespace attnc;
using namespace attnc::metadata;
using llvm::formatv;
namespace json = llvm::json;

/// The tasks of a launch, and how a thread does its share. {0} is the launch function, {1} the code
/// for a block of queries, {2} the bytes of scratch memory of a thread.
static constexpr const char *taskFunctions = R"(
; slots, scratch memory or null, rows of a task, tasks of a head, all tasks, parts
%launch = type {{ ptr, ptr, i64, i64, i64, i64 }
declare void @"{1}"(ptr, i64, i64, i64, i64, ptr)

; Every parts-th task from `part` on, the last queries first, as masks leave them most keys.
define internal void @"{0}.part"(ptr %launch, i64 %part, ptr %scratch) {{
entry:
  %slots = load ptr, ptr %launch
  %rows.at = getelementptr %launch, ptr %launch, i64 0, i32 2
  %rows = load i64, ptr %rows.at
  %blocks.at = getelementptr %launch, ptr %launch, i64 0, i32 3
  %blocks = load i64, ptr %blocks.at
  %count.at = getelementptr %launch, ptr %launch, i64 0, i32 4
  %count = load i64, ptr %count.at
  %parts.at = getelementptr %launch, ptr %launch, i64 0, i32 5
  %parts = load i64, ptr %parts.at
  %B = load i64, ptr %slots
  %Hq.at = getelementptr i64, ptr %slots, i64 1
  %Hq = load i64, ptr %Hq.at
  %Q.at = getelementptr i64, ptr %slots, i64 3
  %Q = load i64, ptr %Q.at
  %heads = mul i64 %B, %Hq
  %is.any = icmp slt i64 %part, %count
  br i1 %is.any, label %task, label %done
task:
  %i = phi i64 [ %part, %entry ], [ %next, %task ]
  %before = udiv i64 %i, %heads
  %last = sub i64 %blocks, 1
  %block = sub i64 %last, %before
  %begin = mul i64 %block, %rows
  %left = sub i64 %Q, %begin
  %is.whole = icmp slt i64 %rows, %left
  %length = select i1 %is.whole, i64 %rows, i64 %left
  %end = add i64 %begin, %length
  %head = urem i64 %i, %heads
  %b = udiv i64 %head, %Hq
  %h = urem i64 %head, %Hq
  call void @"{1}"(ptr %slots, i64 %b, i64 %h, i64 %begin, i64 %end, ptr %scratch)
  %next = add i64 %i, %parts
  %is.more = icmp slt i64 %next, %count
  br i1 %is.more, label %task, label %done
done:
  ret void
}

define internal void @"{0}.part_with_scratch"(ptr %launch, i64 %part) {{
  %scratch.at = getelementptr %launch, ptr %launch, i64 0, i32 1
  %all = load ptr, ptr %scratch.at
  %offset = mul i64 %part, {2}
  %scratch = getelementptr i8, ptr %all, i64 %offset
  call void @"{0}.part"(ptr %launch, i64 %part, ptr %scratch)
  ret void
}

define internal void @"{0}.part_on_stack"(ptr %launch, i64 %part) "probe-stack"="inline-asm" {{
  %scratch = alloca [{2} x i8], align 64
  call void @"{0}.part"(ptr %launch, i64 %part, ptr %scratch)
  ret void
}
)";

/// The launch function. {1} are the rows that the code takes at most, {2} more conditions that the
/// slots have to meet, {3} and {4} what is wrong of them: a size, a pointer. Tasks are cut as
/// planTasks() does: {5} is scratchAlignment - 1, {6} tasksPerThread, {7} minTaskRows, a power of
/// 2, and {8} one less.
static constexpr const char *launchFunction = R"(
declare {{ i64, i1 } @llvm.smul.with.overflow.i64(i64, i64)

define i32 @"{0}"(ptr %slots, ptr %executor) {{
entry:
  %launch = alloca %launch
  %no.slots = icmp eq ptr %slots, null
  br i1 %no.slots, label %pointer.error, label %read.sizes
read.sizes:
  %B = load i64, ptr %slots
  %Hq.at = getelementptr i64, ptr %slots, i64 1
  %Hq = load i64, ptr %Hq.at
  %Hkv.at = getelementptr i64, ptr %slots, i64 2
  %Hkv = load i64, ptr %Hkv.at
  %Q.at = getelementptr i64, ptr %slots, i64 3
  %Q = load i64, ptr %Q.at
  %KV.at = getelementptr i64, ptr %slots, i64 4
  %KV = load i64, ptr %KV.at
  ; The bits of all: none is negative or above 31 bits.
  %bits.0 = or i64 %B, %Hq
  %bits.1 = or i64 %Hkv, %Q
  %bits.2 = or i64 %bits.0, %bits.1
  %bits = or i64 %bits.2, %KV
  %size.wrong.0 = icmp ugt i64 %bits, 2147483647
  %heads = mul i64 %B, %Hq
{2}  br i1 %{3}, label %size.error, label %whether.empty
whether.empty:
  %rows.all = mul i64 %heads, %Q
  %is.empty.0 = icmp eq i64 %heads, 0
  %is.empty.1 = icmp eq i64 %Q, 0
  %is.empty = or i1 %is.empty.0, %is.empty.1
  br i1 %is.empty, label %done, label %whether.grouped
whether.grouped:
  %no.Hkv = icmp eq i64 %Hkv, 0
  %divisor = select i1 %no.Hkv, i64 1, i64 %Hkv
  %rest = urem i64 %Hq, %divisor
  %has.rest = icmp ne i64 %rest, 0
  %groups.wrong = or i1 %no.Hkv, %has.rest
  br i1 %groups.wrong, label %size.error, label %whether.there
whether.there:
  br i1 %{4}, label %pointer.error, label %whether.executor
whether.executor:
  store ptr %slots, ptr %launch
  %scratch.at = getelementptr %launch, ptr %launch, i64 0, i32 1
  store ptr null, ptr %scratch.at
  %no.executor = icmp eq ptr %executor, null
  br i1 %no.executor, label %cut, label %read.executor
read.executor:
  %parallel.for = load ptr, ptr %executor
  %context.at = getelementptr i64, ptr %executor, i64 1
  %context = load ptr, ptr %context.at
  %threads.at = getelementptr i64, ptr %executor, i64 2
  %threads.given = load i64, ptr %threads.at
  %executor.scratch.at = getelementptr i64, ptr %executor, i64 3
  %executor.scratch = load ptr, ptr %executor.scratch.at
  store ptr %executor.scratch, ptr %scratch.at
  %executor.address = ptrtoint ptr %executor.scratch to i64
  %unaligned = and i64 %executor.address, {5}
  %is.unaligned = icmp ne i64 %unaligned, 0
  %is.parallel.given = icmp ne ptr %parallel.for, null
  %threads.used = select i1 %is.parallel.given, i64 %threads.given, i64 1
  %no.threads = icmp slt i64 %threads.used, 1
  %many.threads = icmp sgt i64 %threads.used, 1048576
  %threads.wrong = or i1 %no.threads, %many.threads
  %executor.wrong = or i1 %threads.wrong, %is.unaligned
  br i1 %executor.wrong, label %executor.error, label %cut
cut:
  %is.parallel = phi i1 [ false, %whether.executor ], [ %is.parallel.given, %read.executor ]
  %threads = phi i64 [ 1, %whether.executor ], [ %threads.used, %read.executor ]
  %is.short = icmp slt i64 %Q, {1}
  %rows.most = select i1 %is.short, i64 %Q, i64 {1}
  ; Smaller tasks, as long as there are fewer than four for each thread.
  %tasks.wanted = mul i64 %threads, {6}
  %tasks.less = sub i64 %tasks.wanted, 1
  %blocks.less = udiv i64 %tasks.less, %heads
  %blocks.wanted = add i64 %blocks.less, 1
  br label %smaller
smaller:
  %rows = phi i64 [ %rows.most, %cut ], [ %rows.half, %halve ]
  %Q.less = sub i64 %Q, 1
  %blocks.before = udiv i64 %Q.less, %rows
  %blocks = add i64 %blocks.before, 1
  %is.alone = icmp eq i64 %threads, 1
  %is.small = icmp sle i64 %rows, {7}
  %is.enough = icmp sge i64 %blocks, %blocks.wanted
  %is.cut.0 = or i1 %is.alone, %is.small
  %is.cut = or i1 %is.cut.0, %is.enough
  br i1 %is.cut, label %count, label %halve
halve:
  %half = udiv i64 %rows, 2
  %half.up = add i64 %half, {8}
  %rows.half = and i64 %half.up, -{7}
  br label %smaller
count:
  %count.pair = call {{ i64, i1 } @llvm.smul.with.overflow.i64(i64 %blocks, i64 %heads)
  %count.value = extractvalue {{ i64, i1 } %count.pair, 0
  %count.wrong = extractvalue {{ i64, i1 } %count.pair, 1
  br i1 %count.wrong, label %size.error, label %start
start:
  %is.few = icmp slt i64 %count.value, %threads
  %parts = select i1 %is.few, i64 %count.value, i64 %threads
  %rows.at = getelementptr %launch, ptr %launch, i64 0, i32 2
  store i64 %rows, ptr %rows.at
  %blocks.at = getelementptr %launch, ptr %launch, i64 0, i32 3
  store i64 %blocks, ptr %blocks.at
  %count.at = getelementptr %launch, ptr %launch, i64 0, i32 4
  store i64 %count.value, ptr %count.at
  %parts.at = getelementptr %launch, ptr %launch, i64 0, i32 5
  store i64 %parts, ptr %parts.at
  %scratch = load ptr, ptr %scratch.at
  %no.scratch = icmp eq ptr %scratch, null
  %body = select i1 %no.scratch, ptr @"{0}.part_on_stack", ptr @"{0}.part_with_scratch"
  br i1 %is.parallel, label %parallel, label %alone
parallel:
  call void %parallel.for(ptr %context, i64 %parts, ptr %body, ptr %launch)
  br label %done
alone:
  call void %body(ptr %launch, i64 0)
  br label %done
done:
  ret i32 0
size.error:
  ret i32 1
pointer.error:
  ret i32 2
executor.error:
  ret i32 3
}
)";

namespace {
/// Conditions that the slots have to meet, as instructions; `wrongSize` and `wrongPointer` name
/// what they come to.
struct Conditions {
  std::string text, wrongSize = "size.wrong.0", wrongPointer;
};

/// Collects the conditions of a kernel: its tensors are there where they have elements, and no size
/// is negative.
class ConditionBuilder {
public:
  explicit ConditionBuilder(Conditions &result) : result(result) {
    result.text = "  %no.keys = icmp eq i64 %KV, 0\n";
  }

  void addTensor(int64_t slot, bool hasRowsOfKeys) {
    std::string isNull = loadPointer(slot);
    if (hasRowsOfKeys)
      isNull = define("select i1 %no.keys, i1 false, i1 %" + isNull);
    addPointer(isNull);
  }

  void addCapture(int64_t pointer, int64_t rank) {
    std::string isNull = loadPointer(pointer), isEmpty;
    for (int64_t dim = 0; dim < rank; ++dim) {
      std::string size = loadSlot("i64", pointer + 1 + dim);
      std::string isNegative = define("icmp slt i64 %" + size + ", 0");
      result.wrongSize = define("or i1 %" + result.wrongSize + ", %" + isNegative);
      std::string isZero = define("icmp eq i64 %" + size + ", 0");
      isEmpty = isEmpty.empty() ? isZero : define("or i1 %" + isEmpty + ", %" + isZero);
    }
    addPointer(isEmpty.empty() ? isNull
                               : define("select i1 %" + isEmpty + ", i1 false, i1 %" + isNull));
  }

private:
  std::string define(const std::string &instruction) {
    std::string name = "c" + std::to_string(count++);
    result.text += "  %" + name + " = " + instruction + "\n";
    return name;
  }
  std::string loadSlot(const char *type, int64_t slot) {
    std::string place = define("getelementptr i64, ptr %slots, i64 " + std::to_string(slot));
    return define(std::string("load ") + type + ", ptr %" + place);
  }
  std::string loadPointer(int64_t slot) {
    return define("icmp eq ptr %" + loadSlot("ptr", slot) + ", null");
  }
  void addPointer(const std::string &isNull) {
    result.wrongPointer = result.wrongPointer.empty()
                              ? isNull
                              : define("or i1 %" + result.wrongPointer + ", %" + isNull);
  }

  Conditions &result;
  int count = 0;
};
} // namespace

static Conditions getConditions(const json::Object &kernel) {
  Conditions result;
  ConditionBuilder builder(result);
  builder.addTensor(ArgumentLayout::QTensor, /*hasRowsOfKeys=*/false);
  builder.addTensor(ArgumentLayout::KTensor, /*hasRowsOfKeys=*/true);
  builder.addTensor(ArgumentLayout::VTensor, /*hasRowsOfKeys=*/true);
  builder.addTensor(ArgumentLayout::OTensor, /*hasRowsOfKeys=*/false);
  if (getBool(kernel, "lse"))
    builder.addTensor(ArgumentLayout::LseTensor, /*hasRowsOfKeys=*/false);
  std::vector<int64_t> ranks;
  for (const json::Object *capture : getObjects(kernel, "captures"))
    ranks.push_back(static_cast<int64_t>(getStrings(*capture, "shape").size()));
  ArgumentLayout layout(static_cast<int64_t>(getStrings(kernel, "extents").size()), ranks, 0);
  for (auto [i, rank] : llvm::enumerate(ranks))
    builder.addCapture(layout.getCapturePointer(static_cast<int64_t>(i)), rank);
  return result;
}

/// Adds the functions of `text` to `module`.
static void addText(llvm::Module &module, const std::string &text, const HostTarget &target) {
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> functions =
      llvm::parseAssemblyString(text, diagnostic, module.getContext());
  assert(functions && "the text is LLVM IR");
  functions->setTargetTriple(module.getTargetTriple());
  functions->setDataLayout(module.getDataLayout());
  for (llvm::Function &function : *functions)
    if (!function.isDeclaration())
      setTargetAttributes(function, target);
  linkInto(module, std::move(functions));
}

/// Leaves of the functions of `module` those that the kernels call, under names that end with
/// `suffix`; and gives each kernel its launch function, with the name and the suffix.
static void addLaunches(llvm::Module &module, const std::vector<json::Object> &kernels,
                        const HostTarget &target, const std::string &suffix) {
  std::vector<llvm::Function *> others;
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && function.hasExternalLinkage())
      others.push_back(&function);
  for (const json::Object &kernel : kernels) {
    std::string name = getString(kernel, "name").str(), launch = name + suffix;
    llvm::Function *code = module.getFunction(name);
    llvm::erase(others, code);
    code->setName(launch + ".block");
    Conditions conditions = getConditions(kernel);
    std::string text = formatv(taskFunctions, launch, launch + ".block",
                               getScratchStride(getInteger(kernel, "scratch_bytes")))
                           .str() +
                       formatv(launchFunction, launch, getInteger(kernel, "query_block"),
                               conditions.text, conditions.wrongSize, conditions.wrongPointer,
                               scratchAlignment - 1, tasksPerThread, minTaskRows, minTaskRows - 1)
                           .str();
    addText(module, text, target);
    module.getFunction(launch + ".block")->setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  // Planners and checks of indices are for runtimes.
  for (llvm::Function *function : others)
    function->setLinkage(llvm::GlobalValue::InternalLinkage);
  for (bool isErased = true; isErased;) {
    isErased = false;
    for (llvm::Function &function : llvm::make_early_inc_range(module))
      if (function.hasInternalLinkage() && function.use_empty()) {
        function.eraseFromParent();
        isErased = true;
      }
  }
}

/// A function without arguments that says whether the CPU has all features of `target`.
static std::string makeLevelTest(const std::string &name, const HostTarget &target) {
  // The bits of each register of cpuid, and of XCR0.
  std::map<std::tuple<uint32_t, uint32_t, int>, uint32_t> bits;
  uint32_t state = 0;
  for (const std::string &feature : target.getNeeds())
    if (const CpuFeature *place = findCpuFeature(feature)) {
      bits[{place->leaf, place->subleaf, place->place}] |= 1U << place->bit;
      state |= place->state;
    }
  constexpr const char *cpuid = "call {{ i32, i32, i32, i32 } asm sideeffect \"cpuid\", "
                                "\"={{ax},={{bx},={{cx},={{dx},{{ax},{{cx},~{{dirflag},~{{fpsr},~{{"
                                "flags}\"(i32 {0}, i32 {1})";
  std::string text = formatv("define internal i1 @\"{0}\"() {{\n", name).str();
  int count = 0;
  std::string all = "true";
  auto define = [&](const std::string &instruction) {
    std::string value = "%v" + std::to_string(count++);
    text += "  " + value + " = " + instruction + "\n";
    return value;
  };
  auto read = [&](uint32_t leaf, uint32_t subleaf, int place) {
    std::string registers = define(formatv(cpuid, static_cast<int32_t>(leaf), subleaf).str());
    return define(formatv("extractvalue {{ i32, i32, i32, i32 } {0}, {1}", registers, place).str());
  };
  auto require = [&](const std::string &condition) {
    all = define("and i1 " + all + ", " + condition);
  };
  auto requireBits = [&](const std::string &value, uint32_t mask) {
    std::string masked = define(formatv("and i32 {0}, {1}", value, static_cast<int32_t>(mask)));
    require(define(formatv("icmp eq i32 {0}, {1}", masked, static_cast<int32_t>(mask))));
  };
  constexpr uint32_t extended = 0x80000000, osxsave = 1U << 27;
  uint32_t lastLeaf = 1, lastExtended = extended;
  for (const auto &[place, mask] : bits) {
    uint32_t leaf = std::get<0>(place);
    uint32_t &last = leaf < extended ? lastLeaf : lastExtended;
    last = std::max(last, leaf);
  }
  require(define(formatv("icmp uge i32 {0}, {1}", read(0, 0, CpuFeature::Eax), lastLeaf)));
  require(define(formatv("icmp uge i32 {0}, {1}", read(extended, 0, CpuFeature::Eax),
                         static_cast<int32_t>(lastExtended))));
  requireBits(read(1, 0, CpuFeature::Ecx), osxsave);
  text += "  br i1 " + all + ", label %more, label %no\nno:\n  ret i1 false\nmore:\n";
  all = "true";
  std::string saved = define("call { i32, i32 } asm sideeffect \"xgetbv\", "
                             "\"={ax},={dx},{cx},~{dirflag},~{fpsr},~{flags}\"(i32 0)");
  requireBits(define("extractvalue { i32, i32 } " + saved + ", 0"), state);
  for (const auto &[place, mask] : bits)
    requireBits(read(std::get<0>(place), std::get<1>(place), std::get<2>(place)), mask);
  return text + "  ret i1 " + all + "\n}\n";
}

/// The function that chooses the code of `name`, and the symbol that it is chosen for.
static std::string makeResolver(const std::string &name, llvm::ArrayRef<HostLevel> levels,
                                llvm::ArrayRef<std::string> suffixes) {
  std::string text = "define internal ptr @\"" + name + ".resolve\"() {\n";
  for (size_t i = levels.size() - 1; i > 0; --i) {
    text += formatv("  %is{0} = call i1 @\"attnc.is{1}\"()\n"
                    "  br i1 %is{0}, label %take{0}, label %below{0}\n"
                    "take{0}:\n  ret ptr @\"{2}{1}\"\nbelow{0}:\n",
                    i, suffixes[i], name)
                .str();
  }
  text += formatv("  ret ptr @\"{0}{1}\"\n}\n", name, suffixes[0]).str();
  for (const std::string &suffix : suffixes)
    text += formatv("declare i32 @\"{0}{1}\"(ptr, ptr)\n", name, suffix).str();
  return text + formatv("@\"{0}\" = ifunc i32 (ptr, ptr), ptr @\"{0}.resolve\"\n", name).str();
}

/// What launching `kernels` takes whichever level is chosen.
static void mergeMetadata(std::vector<json::Object> &kernels,
                          const std::vector<json::Object> &others) {
  for (auto [kernel, other] : llvm::zip_equal(kernels, others)) {
    kernel["scratch_bytes"] =
        std::max(getInteger(kernel, "scratch_bytes"), getInteger(other, "scratch_bytes"));
    kernel["query_block"] =
        std::min(getInteger(kernel, "query_block"), getInteger(other, "query_block"));
  }
}

static void eraseMetadata(llvm::Module &module, const std::vector<json::Object> &kernels) {
  for (const json::Object &kernel : kernels)
    module.getGlobalVariable((getString(kernel, "name") + metadataSuffix).str())->eraseFromParent();
}

std::unique_ptr<llvm::Module> attnc::addLaunchFunctions(std::vector<HostLevel> levels) {
  std::vector<json::Object> merged = getMetadataOf(*levels.front().module);
  for (const HostLevel &level : llvm::ArrayRef(levels).drop_front())
    mergeMetadata(merged, getMetadataOf(*level.module));
  bool isAlone = levels.size() == 1;
  std::vector<std::string> suffixes;
  for (const HostLevel &level : levels)
    suffixes.push_back(isAlone ? "" : "." + level.target.getName());
  std::unique_ptr<llvm::Module> all;
  for (auto [level, suffix] : llvm::zip_equal(levels, suffixes)) {
    std::vector<json::Object> kernels = getMetadataOf(*level.module);
    eraseMetadata(*level.module, kernels);
    // Scratch memory is as the merged metadata has it.
    for (auto [kernel, common] : llvm::zip_equal(kernels, merged))
      kernel["scratch_bytes"] = getInteger(common, "scratch_bytes");
    addLaunches(*level.module, kernels, level.target, suffix);
    if (all)
      linkInto(*all, std::move(level.module));
    else
      all = std::move(level.module);
  }
  if (!isAlone) {
    std::string text;
    for (size_t i = 1; i < levels.size(); ++i)
      text += makeLevelTest("attnc.is" + suffixes[i], levels[i].target);
    for (const json::Object &kernel : merged)
      text += makeResolver(getString(kernel, "name").str(), levels, suffixes);
    addText(*all, text, levels.front().target);
    for (const json::Object &kernel : merged)
      for (const std::string &suffix : suffixes)
        all->getFunction((getString(kernel, "name") + suffix).str())
            ->setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  for (json::Object &kernel : merged) {
    std::string name = getString(kernel, "name").str();
    addMetadata(*all, name, std::move(kernel));
  }
  return all;
}
