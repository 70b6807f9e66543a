//===- HostImage.cpp - Host kernels in memory of this process ---------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/host/HostImage.h"
#include "attnc/KernelMetadata.h"
#include "runtime/ElfTable.h"
#include <algorithm>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace attnc;

namespace {
using Error = std::optional<std::string>;

#if defined(__x86_64__)
constexpr uint16_t thisMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr uint16_t thisMachine = EM_AARCH64;
#else
constexpr uint16_t thisMachine = EM_NONE;
#endif

/// Images and their symbols stay far below these.
constexpr uint64_t maxImageBytes = uint64_t(1) << 30;
constexpr size_t maxSegments = 16;
constexpr uint64_t maxSymbols = 1 << 20;

/// Pages of this process that hold an image.
class Mapping {
public:
  Mapping() = default;
  Mapping(const Mapping &) = delete;
  Mapping &operator=(const Mapping &) = delete;
  ~Mapping() {
    if (base)
      munmap(base, size);
  }

  Error allocate(size_t bytes) {
    void *address =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (address == MAP_FAILED)
      return "cannot map " + std::to_string(bytes) + " bytes: " + std::strerror(errno);
    base = static_cast<char *>(address);
    size = bytes;
    return std::nullopt;
  }

  char *at(uint64_t address) const { return base + address; }
  size_t getSize() const { return size; }

private:
  char *base = nullptr;
  size_t size = 0;
};

/// A symbol of the image, which lies inside a segment.
struct Symbol {
  std::string_view name;
  uint64_t address = 0, size = 0;
  bool isCode = false;
};

/// Reads an image; stops at the first thing that is wrong.
class Loader {
public:
  explicit Loader(std::string_view bytes) : bytes(bytes) {}

  Error load(std::vector<HostKernel> &kernels) {
    for (auto step : {&Loader::readHeader, &Loader::checkSegments, &Loader::copySegments,
                      &Loader::readDynamic, &Loader::readSymbols, &Loader::readKernels})
      if (Error error = (this->*step)())
        return error;
    kernels.insert(kernels.end(), loaded.begin(), loaded.end());
    return std::nullopt;
  }

private:
  Error readHeader() {
    std::optional<Elf64_Ehdr> elf = readElfHeader(bytes);
    if (!elf || !isHostImage(bytes))
      return "expected an ELF shared object of 64 bits";
    if (elf->e_machine != thisMachine)
      return "expected code for the machine " + std::to_string(thisMachine) +
             " of ELF, which this one is, got " + std::to_string(elf->e_machine);
    if (elf->e_phentsize != sizeof(Elf64_Phdr) || elf->e_phnum > maxSegments)
      return "the program headers are not those of an image";
    auto all = readElfTable<Elf64_Phdr>(bytes, elf->e_phoff, elf->e_phnum);
    if (!all)
      return "the program headers lie outside the file";
    headers = std::move(*all);
    return std::nullopt;
  }

  Error checkSegments() {
    for (const Elf64_Phdr &header : headers) {
      if (header.p_type == PT_INTERP || header.p_type == PT_TLS)
        return "expected no interpreter and no thread-local data";
      if (header.p_type != PT_LOAD)
        continue;
      if (header.p_offset > bytes.size() || header.p_filesz > bytes.size() - header.p_offset)
        return "a segment lies outside the file";
      if (header.p_filesz > header.p_memsz || header.p_memsz > maxImageBytes ||
          header.p_vaddr > maxImageBytes || header.p_vaddr / page * page < end)
        return "a segment lies where none can be";
      if ((header.p_flags & PF_W) && (header.p_flags & PF_X))
        return "a segment is writable and executable";
      end = (header.p_vaddr + header.p_memsz + page - 1) / page * page;
    }
    return end == 0 ? Error("expected segments, got none") : std::nullopt;
  }

  Error copySegments() {
    if (Error error = memory->allocate(end))
      return error;
    for (const Elf64_Phdr &header : headers)
      if (header.p_type == PT_LOAD)
        std::memcpy(memory->at(header.p_vaddr), bytes.data() + header.p_offset, header.p_filesz);
    // Nothing writes to an image once it is there.
    if (mprotect(memory->at(0), memory->getSize(), PROT_READ) != 0)
      return std::string("cannot protect memory: ") + std::strerror(errno);
    for (const Elf64_Phdr &header : headers)
      if (header.p_type == PT_LOAD && (header.p_flags & PF_X) &&
          mprotect(memory->at(header.p_vaddr / page * page), header.p_vaddr % page + header.p_memsz,
                   PROT_READ | PROT_EXEC) != 0)
        return std::string("cannot make memory executable: ") + std::strerror(errno);
#if !defined(__x86_64__)
    __builtin___clear_cache(memory->at(0), memory->at(memory->getSize()));
#endif
    return std::nullopt;
  }

  /// The segment that holds `size` bytes at `address`, or null.
  const Elf64_Phdr *findSegment(uint64_t address, uint64_t size) const {
    for (const Elf64_Phdr &header : headers)
      if (header.p_type == PT_LOAD && address >= header.p_vaddr &&
          address - header.p_vaddr <= header.p_memsz &&
          size <= header.p_memsz - (address - header.p_vaddr))
        return &header;
    return nullptr;
  }

  /// The `count` values at `address` of the image, or nothing if they are not inside.
  template <typename T>
  std::optional<std::vector<T>> readMemory(uint64_t address, uint64_t count) const {
    if (count > maxImageBytes / sizeof(T) || !findSegment(address, count * sizeof(T)))
      return std::nullopt;
    return readElfTable<T>({memory->at(0), memory->getSize()}, address, count);
  }

  Error readDynamic() {
    auto dynamic = std::find_if(headers.begin(), headers.end(),
                                [](const Elf64_Phdr &h) { return h.p_type == PT_DYNAMIC; });
    if (dynamic == headers.end())
      return "expected a table of symbols, got none";
    auto entries = readMemory<Elf64_Dyn>(dynamic->p_vaddr, dynamic->p_memsz / sizeof(Elf64_Dyn));
    if (!entries)
      return "the dynamic section lies outside the image";
    for (const Elf64_Dyn &entry : *entries) {
      if (entry.d_tag == DT_NULL)
        break;
      switch (entry.d_tag) {
      case DT_HASH:
        hash = entry.d_un.d_ptr;
        break;
      case DT_SYMTAB:
        symbolTable = entry.d_un.d_ptr;
        break;
      case DT_STRTAB:
        stringTable = entry.d_un.d_ptr;
        break;
      case DT_STRSZ:
        stringBytes = entry.d_un.d_val;
        break;
      case DT_SYMENT:
      case DT_SONAME:
        break;
      default:
        return "expected an image that needs nothing, got an entry " + std::to_string(entry.d_tag) +
               " in its dynamic section";
      }
    }
    return std::nullopt;
  }

  Error readSymbols() {
    auto counts = readMemory<uint32_t>(hash, 2);
    if (!counts || (*counts)[1] > maxSymbols)
      return "the table of symbols lies outside the image";
    auto entries = readMemory<Elf64_Sym>(symbolTable, (*counts)[1]);
    auto text = readMemory<char>(stringTable, stringBytes);
    if (!entries || !text || text->empty() || text->back() != '\0')
      return "the table of symbols lies outside the image";
    strings = std::move(*text);
    for (const Elf64_Sym &entry : *entries) {
      if (&entry == &entries->front())
        continue;
      if (entry.st_name >= strings.size())
        return "the name of a symbol lies outside the image";
      Symbol symbol{strings.data() + entry.st_name, entry.st_value, entry.st_size, false};
      const Elf64_Phdr *segment = findSegment(symbol.address, symbol.size);
      if (entry.st_shndx == SHN_UNDEF)
        return "the symbol `" + std::string(symbol.name) + "` is undefined";
      if (!segment)
        return "the symbol `" + std::string(symbol.name) + "` lies outside the image";
      symbol.isCode = ELF64_ST_TYPE(entry.st_info) == STT_FUNC && (segment->p_flags & PF_X);
      symbols.push_back(symbol);
    }
    std::sort(symbols.begin(), symbols.end(), [](const Symbol &a, const Symbol &b) {
      return std::pair(a.address, a.name) < std::pair(b.address, b.name);
    });
    return std::nullopt;
  }

  /// Sets `function` to the code of that name.
  template <typename FunctionT> Error findFunction(const std::string &name, FunctionT &function) {
    for (const Symbol &symbol : symbols)
      if (symbol.name == name && symbol.isCode) {
        function = reinterpret_cast<FunctionT>(memory->at(symbol.address));
        return std::nullopt;
      }
    return "there is no function `" + name + "`";
  }

  /// Sets the functions that `planner` of a kernel has.
  Error findPlanner(const std::string &name, const std::string &levelSuffix, MaskPlanner &planner) {
    Error error = findFunction(name + "_classify" + levelSuffix, planner.classify);
    auto findIf = [&](bool wanted, const char *suffix, auto &function) {
      if (wanted && !error)
        error = findFunction(name + suffix + levelSuffix, function);
    };
    findIf(true, "_planned", planner.planned);
    findIf(true, "_refine", planner.refine);
    findIf(planner.closedForm, "_key_bounds", planner.keyBounds);
    findIf(planner.queryValues != 0, "_summarize_queries", planner.summarizeQueries);
    findIf(planner.keyValues != 0, "_summarize_keys", planner.summarizeKeys);
    return error;
  }

  Error readKernels() {
    for (const Symbol &symbol : symbols) {
      if (symbol.isCode || !isMetadataName(symbol.name))
        continue;
      std::string_view text(memory->at(symbol.address), symbol.size);
      HostKernel kernel;
      kernel.code = memory;
      CodeNeeds needs;
      if (Error error = readHostMetadata(text.substr(0, text.find('\0')), kernel, needs))
        return "`" + std::string(symbol.name) + "`: " + *error;
      if (Error error = findFunctions(needs.symbolSuffix, kernel))
        return error;
      // Of a kernel for several CPUs, the one that needs most of what this CPU has.
      Error cannotRun = needs.check();
      auto same = std::find_if(candidates.begin(), candidates.end(), [&](const Candidate &other) {
        return other.kernel.info.name == kernel.info.name;
      });
      if (same == candidates.end()) {
        candidates.push_back({std::move(kernel), needs.features.size(), cannotRun});
      } else if (!cannotRun && (same->cannotRun || needs.features.size() > same->needed)) {
        *same = {std::move(kernel), needs.features.size(), cannotRun};
      }
    }
    for (Candidate &candidate : candidates) {
      if (candidate.cannotRun)
        return "`" + candidate.kernel.info.name + "`: " + *candidate.cannotRun;
      loaded.push_back(std::move(candidate.kernel));
    }
    return loaded.empty() ? Error("expected kernels made by attnc, found no metadata")
                          : std::nullopt;
  }

  /// Sets the functions of `kernel`, whose names end with `suffix`.
  Error findFunctions(const std::string &suffix, HostKernel &kernel) {
    const std::string &name = kernel.info.name;
    if (Error error = findFunction(name + suffix, kernel.function))
      return error;
    if (kernel.info.checked)
      if (Error error = findFunction(name + "_check" + suffix, kernel.check))
        return error;
    return kernel.planner.mask != 0 ? findPlanner(name, suffix, kernel.planner) : std::nullopt;
  }

  /// A kernel that may be the one of its name that is loaded.
  struct Candidate {
    HostKernel kernel;
    size_t needed; ///< features
    Error cannotRun;
  };

  std::string_view bytes;
  std::vector<Elf64_Phdr> headers;
  const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  uint64_t end = 0; ///< of the pages of all segments
  std::shared_ptr<Mapping> memory = std::make_shared<Mapping>();
  uint64_t hash = 0, symbolTable = 0, stringTable = 0, stringBytes = 0;
  std::vector<char> strings;
  std::vector<Symbol> symbols;
  std::vector<Candidate> candidates;
  std::vector<HostKernel> loaded;
};
} // namespace

bool attnc::isHostImage(std::string_view bytes) {
  std::optional<Elf64_Ehdr> header = readElfHeader(bytes);
  return header && header->e_ident[EI_DATA] == ELFDATA2LSB && header->e_type == ET_DYN;
}

bool attnc::isForThisMachine(std::string_view bytes) {
  std::optional<Elf64_Ehdr> header = readElfHeader(bytes);
  return isHostImage(bytes) && header->e_machine == thisMachine;
}

Error attnc::loadHostImage(std::string_view bytes, std::vector<HostKernel> &kernels) {
  return Loader(bytes).load(kernels);
}
