//===- HostImage.cpp - Images of host kernels -------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Target/Host/HostImage.h"
#include "compiler/Target/Host/HostCode.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace attnc;
using llvm::StringRef;
namespace elf = llvm::ELF;
namespace object = llvm::object;

/// Segments begin at multiples of a page, in the file and in memory. Systems on AArch64 may have
/// large ones.
static constexpr uint64_t x86PageBytes = 4096, armPageBytes = 65536;

static llvm::Error makeError(const llvm::Twine &reason) {
  return llvm::createStringError("internal error, please report: " + reason);
}

namespace {
/// The sections of an image, by the places of their headers.
enum SectionIndex : uint16_t {
  Null,
  Hash,
  DynSym,
  DynStr,
  ReadOnly,
  Text,
  Dynamic,
  ShStrTab,
  Count
};

/// Lays out and writes one image. Offsets in the file are addresses in the image.
class Linker {
public:
  Linker(const object::ELF64LEObjectFile &file)
      : file(file), pageBytes(isForArm() ? armPageBytes : x86PageBytes) {}

  llvm::Error link(llvm::raw_ostream &os) {
    headers[ShStrTab].sh_type = elf::SHT_STRTAB;
    for (auto step : {&Linker::collectSymbols, &Linker::placeSections, &Linker::relocate})
      if (llvm::Error error = (this->*step)())
        return error;
    writeSymbols();
    writeHeaders();
    os << StringRef(bytes.data(), bytes.size());
    return llvm::Error::success();
  }

private:
  struct Symbol {
    std::string name;
    object::SymbolRef symbol;
    unsigned char type;
  };

  /// What others may call and read: functions and metadata.
  llvm::Error collectSymbols() {
    for (const object::ELFSymbolRef symbol : file.symbols()) {
      if (symbol.getBinding() != elf::STB_GLOBAL)
        continue;
      llvm::Expected<StringRef> name = symbol.getName();
      if (!name)
        return name.takeError();
      symbols.push_back({name->str(), symbol, symbol.getELFType()});
    }
    return llvm::Error::success();
  }

  /// Starts the section `index` at the next multiple of `alignment`.
  void begin(SectionIndex index, uint32_t type, uint64_t flags, uint64_t alignment) {
    bytes.resize(llvm::alignTo(bytes.size(), alignment));
    elf::Elf64_Shdr &header = headers[index];
    header.sh_type = type;
    header.sh_flags = flags;
    header.sh_addr = header.sh_offset = bytes.size();
    header.sh_addralign = alignment;
  }

  void end(SectionIndex index) { headers[index].sh_size = bytes.size() - headers[index].sh_addr; }

  /// Appends all sections of the object with these flags.
  llvm::Error copySections(uint64_t wanted) {
    for (const object::ELFSectionRef section : file.sections()) {
      constexpr uint64_t relevant = elf::SHF_ALLOC | elf::SHF_WRITE | elf::SHF_EXECINSTR;
      if ((section.getFlags() & relevant) != wanted || section.getSize() == 0)
        continue;
      llvm::Expected<StringRef> contents = section.getContents();
      if (!contents)
        return contents.takeError();
      bytes.resize(llvm::alignTo(bytes.size(), section.getAlignment()));
      places[section.getIndex()] = bytes.size();
      bytes.append(contents->begin(), contents->end());
    }
    return llvm::Error::success();
  }

  llvm::Error placeSections() {
    for (const object::ELFSectionRef section : file.sections())
      if ((section.getFlags() & elf::SHF_ALLOC) && (section.getFlags() & elf::SHF_WRITE) &&
          section.getSize() > 0)
        return makeError("kernels have variables");
    bytes.resize(sizeof(elf::Elf64_Ehdr) + numSegments * sizeof(elf::Elf64_Phdr));
    begin(Hash, elf::SHT_HASH, elf::SHF_ALLOC, 8);
    bytes.resize(bytes.size() + sizeof(uint32_t) * (3 + symbols.size() + 1));
    end(Hash);
    begin(DynSym, elf::SHT_DYNSYM, elf::SHF_ALLOC, 8);
    bytes.resize(bytes.size() + sizeof(elf::Elf64_Sym) * (symbols.size() + 1));
    end(DynSym);
    begin(DynStr, elf::SHT_STRTAB, elf::SHF_ALLOC, 1);
    bytes.push_back('\0');
    for (const Symbol &symbol : symbols)
      bytes.append(symbol.name.c_str(), symbol.name.c_str() + symbol.name.size() + 1);
    end(DynStr);
    begin(ReadOnly, elf::SHT_PROGBITS, elf::SHF_ALLOC, 64);
    if (llvm::Error error = copySections(elf::SHF_ALLOC))
      return error;
    end(ReadOnly);
    begin(Text, elf::SHT_PROGBITS, elf::SHF_ALLOC | elf::SHF_EXECINSTR, pageBytes);
    if (llvm::Error error = copySections(elf::SHF_ALLOC | elf::SHF_EXECINSTR))
      return error;
    end(Text);
    begin(Dynamic, elf::SHT_DYNAMIC, elf::SHF_ALLOC | elf::SHF_WRITE, pageBytes);
    const uint64_t dynamic[] = {
        elf::DT_HASH,   headers[Hash].sh_addr,   elf::DT_SYMTAB, headers[DynSym].sh_addr,
        elf::DT_STRTAB, headers[DynStr].sh_addr, elf::DT_STRSZ,  headers[DynStr].sh_size,
        elf::DT_SYMENT, sizeof(elf::Elf64_Sym),  elf::DT_NULL,   0};
    const char *data = reinterpret_cast<const char *>(dynamic);
    bytes.append(data, data + sizeof dynamic);
    end(Dynamic);
    return llvm::Error::success();
  }

  /// Where `symbol` of the object lies in the image.
  llvm::Expected<uint64_t> getAddress(const object::SymbolRef &symbol) const {
    llvm::Expected<object::section_iterator> section = symbol.getSection();
    if (!section)
      return section.takeError();
    auto place =
        *section == file.section_end() ? places.end() : places.find((*section)->getIndex());
    if (place == places.end())
      return makeError("a symbol of the code has no place");
    llvm::Expected<uint64_t> value = symbol.getValue();
    if (!value)
      return value.takeError();
    return place->second + *value;
  }

  llvm::Error relocate() {
    for (const object::SectionRef &table : file.sections()) {
      llvm::Expected<object::section_iterator> section = table.getRelocatedSection();
      if (!section)
        return section.takeError();
      auto place =
          *section == file.section_end() ? places.end() : places.find((*section)->getIndex());
      if (place == places.end())
        continue;
      for (const object::ELFRelocationRef relocation : table.relocations())
        if (llvm::Error error = relocate(relocation, place->second + relocation.getOffset()))
          return error;
    }
    return llvm::Error::success();
  }

  /// All code is relative to its own place.
  llvm::Error relocate(const object::ELFRelocationRef &relocation, uint64_t place) {
    llvm::Expected<int64_t> addend = relocation.getAddend();
    if (!addend)
      return addend.takeError();
    llvm::Expected<uint64_t> target = getAddress(*relocation.getSymbol());
    if (!target)
      return target.takeError();
    uint64_t value = *target + static_cast<uint64_t>(*addend);
    bool isKnown = isForArm() ? relocateArm(relocation.getType(), place, value)
                              : relocateX86(relocation.getType(), place, value);
    if (isKnown)
      return llvm::Error::success();
    llvm::SmallString<32> name;
    relocation.getTypeName(name);
    return makeError("an image cannot have the relocation " + name + " here");
  }

  bool isForArm() const { return file.getELFFile().getHeader().e_machine == elf::EM_AARCH64; }

  /// Writes the distance from `place` to `value`; false if it is too far or for another relocation.
  bool relocateX86(uint64_t type, uint64_t place, uint64_t value) {
    auto distance = static_cast<int64_t>(value - place);
    if ((type != elf::R_X86_64_PC32 && type != elf::R_X86_64_PLT32) || !llvm::isInt<32>(distance))
      return false;
    llvm::support::endian::write32le(bytes.data() + place, static_cast<uint32_t>(distance));
    return true;
  }

  /// The same into the fields of instructions of AArch64. What lies behind an `adrp`, which counts
  /// pages, is the place inside the page.
  bool relocateArm(uint64_t type, uint64_t place, uint64_t value) {
    auto distance = static_cast<int64_t>(value - place);
    constexpr uint64_t page = 4096;
    auto pages = static_cast<int64_t>(value / page - place / page);
    uint32_t code = llvm::support::endian::read32le(bytes.data() + place);
    auto put = [&](uint64_t field, unsigned bits, unsigned shift) {
      uint32_t mask = ((1U << bits) - 1) << shift;
      code = (code & ~mask) | (static_cast<uint32_t>(field) << shift & mask);
    };
    auto putInPage = [&](unsigned log2Bytes) { put(value % page >> log2Bytes, 12, 10); };
    switch (type) {
    case elf::R_AARCH64_PREL32:
      if (!llvm::isInt<32>(distance))
        return false;
      code = static_cast<uint32_t>(distance);
      break;
    case elf::R_AARCH64_CALL26:
    case elf::R_AARCH64_JUMP26:
      if (!llvm::isInt<28>(distance))
        return false;
      put(static_cast<uint64_t>(distance) >> 2, 26, 0);
      break;
    case elf::R_AARCH64_ADR_PREL_PG_HI21:
      if (!llvm::isInt<21>(pages))
        return false;
      put(static_cast<uint64_t>(pages), 2, 29);
      put(static_cast<uint64_t>(pages) >> 2, 19, 5);
      break;
    case elf::R_AARCH64_ADD_ABS_LO12_NC:
    case elf::R_AARCH64_LDST8_ABS_LO12_NC:
      putInPage(0);
      break;
    case elf::R_AARCH64_LDST16_ABS_LO12_NC:
      putInPage(1);
      break;
    case elf::R_AARCH64_LDST32_ABS_LO12_NC:
      putInPage(2);
      break;
    case elf::R_AARCH64_LDST64_ABS_LO12_NC:
      putInPage(3);
      break;
    case elf::R_AARCH64_LDST128_ABS_LO12_NC:
      putInPage(4);
      break;
    default:
      return false;
    }
    llvm::support::endian::write32le(bytes.data() + place, code);
    return true;
  }

  void writeSymbols() {
    // All symbols in one chain.
    uint32_t number = static_cast<uint32_t>(symbols.size());
    auto *hash = reinterpret_cast<uint32_t *>(bytes.data() + headers[Hash].sh_addr);
    hash[0] = 1;
    hash[1] = number + 1;
    hash[2] = number == 0 ? 0 : 1;
    for (uint32_t i = 1; i < number; ++i)
      hash[3 + i] = i + 1;
    auto *table = reinterpret_cast<elf::Elf64_Sym *>(bytes.data() + headers[DynSym].sh_addr);
    uint32_t name = 1;
    for (const Symbol &symbol : symbols) {
      elf::Elf64_Sym &entry = *++table;
      entry.st_name = name;
      entry.setBindingAndType(elf::STB_GLOBAL, symbol.type);
      entry.st_shndx = symbol.type == elf::STT_FUNC ? Text : ReadOnly;
      entry.st_value = llvm::cantFail(getAddress(symbol.symbol));
      entry.st_size = object::ELFSymbolRef(symbol.symbol).getSize();
      name += static_cast<uint32_t>(symbol.name.size() + 1);
    }
  }

  elf::Elf64_Phdr makeSegment(uint32_t type, uint32_t flags, uint64_t first, uint64_t last) {
    elf::Elf64_Phdr header{};
    header.p_type = type;
    header.p_flags = flags;
    header.p_offset = header.p_vaddr = header.p_paddr = first;
    header.p_filesz = header.p_memsz = last - first;
    header.p_align = type == elf::PT_LOAD ? pageBytes : 8;
    return header;
  }

  uint64_t getEnd(SectionIndex index) const {
    return headers[index].sh_addr + headers[index].sh_size;
  }

  void writeHeaders() {
    constexpr uint32_t r = elf::PF_R, x = elf::PF_X, w = elf::PF_W;
    uint64_t text = headers[Text].sh_addr, dynamic = headers[Dynamic].sh_addr;
    const elf::Elf64_Phdr segments[numSegments] = {
        makeSegment(elf::PT_LOAD, r, 0, getEnd(ReadOnly)),
        makeSegment(elf::PT_LOAD, r | x, text, getEnd(Text)),
        // Loaders of the system may write addresses to it.
        makeSegment(elf::PT_LOAD, r | w, dynamic, getEnd(Dynamic)),
        makeSegment(elf::PT_DYNAMIC, r | w, dynamic, getEnd(Dynamic)),
        makeSegment(elf::PT_GNU_STACK, r | w, 0, 0)};
    const char *const names[Count] = {"",        ".hash", ".dynsym",  ".dynstr",
                                      ".rodata", ".text", ".dynamic", ".shstrtab"};
    headers[ShStrTab].sh_offset = bytes.size();
    headers[ShStrTab].sh_addralign = 1;
    for (int i = 0; i < Count; ++i) {
      headers[i].sh_name = static_cast<uint32_t>(bytes.size() - headers[ShStrTab].sh_offset);
      bytes.append(names[i], names[i] + std::strlen(names[i]) + 1);
    }
    headers[ShStrTab].sh_size = bytes.size() - headers[ShStrTab].sh_offset;
    headers[Hash].sh_link = DynSym;
    headers[DynSym].sh_link = headers[Dynamic].sh_link = DynStr;
    headers[DynSym].sh_info = 1; // the first symbol that is not local
    headers[Hash].sh_entsize = sizeof(uint32_t);
    headers[DynSym].sh_entsize = sizeof(elf::Elf64_Sym);
    headers[Dynamic].sh_entsize = 16;
    bytes.resize(llvm::alignTo(bytes.size(), 8));

    elf::Elf64_Ehdr header{};
    std::memcpy(header.e_ident, elf::ElfMagic, 4);
    header.e_ident[elf::EI_CLASS] = elf::ELFCLASS64;
    header.e_ident[elf::EI_DATA] = elf::ELFDATA2LSB;
    header.e_ident[elf::EI_VERSION] = elf::EV_CURRENT;
    header.e_type = elf::ET_DYN;
    header.e_machine = file.getELFFile().getHeader().e_machine;
    header.e_version = elf::EV_CURRENT;
    header.e_phoff = sizeof header;
    header.e_shoff = bytes.size();
    header.e_ehsize = sizeof header;
    header.e_phentsize = sizeof(elf::Elf64_Phdr);
    header.e_phnum = numSegments;
    header.e_shentsize = sizeof(elf::Elf64_Shdr);
    header.e_shnum = Count;
    header.e_shstrndx = ShStrTab;
    const char *data = reinterpret_cast<const char *>(headers);
    bytes.append(data, data + sizeof headers);
    std::memcpy(bytes.data(), &header, sizeof header);
    std::memcpy(bytes.data() + sizeof header, segments, sizeof segments);
  }

  static constexpr uint16_t numSegments = 5;

  const object::ELF64LEObjectFile &file;
  const uint64_t pageBytes;
  std::vector<Symbol> symbols;
  llvm::SmallVector<char, 0> bytes; ///< of the image; what is not written is 0
  elf::Elf64_Shdr headers[Count] = {};
  llvm::DenseMap<uint64_t, uint64_t> places; ///< of the object's sections in the image
};
} // namespace

llvm::Error attnc::linkHostImage(llvm::MemoryBufferRef buffer, llvm::raw_ostream &os) {
  if (llvm::Error error = checkSelfContained(buffer))
    return error;
  llvm::Expected<std::unique_ptr<object::ObjectFile>> file =
      object::ObjectFile::createObjectFile(buffer);
  if (!file)
    return file.takeError();
  auto *elfFile = llvm::dyn_cast<object::ELF64LEObjectFile>(file->get());
  if (!elfFile)
    return makeError("kernels are not in ELF");
  return Linker(*elfFile).link(os);
}
