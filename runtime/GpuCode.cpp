//===- GpuCode.cpp - Kernels in PTX and cubins ----------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/GpuCode.h"
#include "attnc/KernelMetadata.h"
#include "runtime/ElfTable.h"
#include <algorithm>
#include <charconv>

using namespace attnc;

namespace {
using Error = std::optional<std::string>;

/// The number of CUDA as a machine of ELF.
constexpr uint16_t cudaMachine = 190;

/// Adds the kernel that the metadata `text` of the symbol `name` describes.
Error addKernel(std::string_view name, std::string_view text, GpuCode &code) {
  GpuKernel &kernel = code.kernels.emplace_back();
  std::string arch, prefix = "`" + std::string(name) + "`: ";
  if (Error error = readGpuMetadata(text.substr(0, text.find('\0')), kernel, arch))
    return prefix + *error;
  if (Error error = checkParameterBytes(kernel.info))
    return prefix + *error;
  if (!code.arch.empty() && arch != code.arch)
    return prefix + "expected the architecture " + code.arch + " of the other kernels, got " + arch;
  code.arch = arch;
  return std::nullopt;
}

/// The bytes that PTX lists as numbers, up to `}`; nothing if one of them is no byte.
std::optional<std::string> parseBytes(std::string_view numbers) {
  std::string bytes;
  for (const char *next = numbers.data(), *end = next + numbers.size();;) {
    while (next != end && (*next == ' ' || *next == ','))
      ++next;
    if (next == end)
      return bytes;
    unsigned value = 0;
    auto [stop, code] = std::from_chars(next, end, value);
    if (code != std::errc() || value > 0xff)
      return std::nullopt;
    bytes += static_cast<char>(value);
    next = stop;
  }
}

/// Reads `.visible .global .align 1 .b8 NAME_metadata[N] = {123, 34, ...};`.
Error readPtx(std::string_view text, GpuCode &code) {
  constexpr std::string_view type = ".b8 ", begin = "] = {";
  for (size_t place = 0; (place = text.find(type, place)) != std::string_view::npos;) {
    place += type.size();
    std::string_view line = text.substr(place, text.find('\n', place) - place);
    size_t bracket = line.find('['), list = line.find(begin), end = line.find('}');
    std::string_view name = line.substr(0, bracket);
    if (bracket == std::string_view::npos || list == std::string_view::npos ||
        end == std::string_view::npos || end < list || !isMetadataName(name))
      continue;
    list += begin.size();
    std::optional<std::string> bytes = parseBytes(line.substr(list, end - list));
    if (!bytes)
      return "`" + std::string(name) + "` does not hold bytes";
    if (Error error = addKernel(name, *bytes, code))
      return error;
  }
  return std::nullopt;
}

/// Reads the bytes of the symbols NAME_metadata.
Error readCubin(std::string_view bytes, GpuCode &code) {
  const Error outside = "the tables of the cubin lie outside the file";
  std::optional<Elf64_Ehdr> header = readElfHeader(bytes);
  auto sections =
      header ? readElfTable<Elf64_Shdr>(bytes, header->e_shoff, header->e_shnum) : std::nullopt;
  if (!sections || header->e_shentsize != sizeof(Elf64_Shdr))
    return outside;
  for (const Elf64_Shdr &table : *sections) {
    if (table.sh_type != SHT_SYMTAB)
      continue;
    auto symbols =
        readElfTable<Elf64_Sym>(bytes, table.sh_offset, table.sh_size / sizeof(Elf64_Sym));
    if (!symbols || table.sh_link >= sections->size())
      return outside;
    const Elf64_Shdr &strings = (*sections)[table.sh_link];
    if (strings.sh_offset > bytes.size() || strings.sh_size > bytes.size() - strings.sh_offset)
      return outside;
    std::string_view names = bytes.substr(strings.sh_offset, strings.sh_size);
    for (const Elf64_Sym &symbol : *symbols) {
      if (symbol.st_name >= names.size())
        return outside;
      std::string_view name = names.substr(symbol.st_name);
      name = name.substr(0, name.find('\0'));
      if (!isMetadataName(name) || symbol.st_shndx >= sections->size())
        continue;
      const Elf64_Shdr &section = (*sections)[symbol.st_shndx];
      auto text =
          symbol.st_value <= section.sh_size
              ? readElfTable<char>(bytes, section.sh_offset + symbol.st_value, symbol.st_size)
              : std::nullopt;
      if (!text)
        return outside;
      if (Error error = addKernel(name, {text->data(), text->size()}, code))
        return error;
    }
  }
  return std::nullopt;
}
} // namespace

bool attnc::isCubin(std::string_view bytes) {
  std::optional<Elf64_Ehdr> header = readElfHeader(bytes);
  return header && header->e_machine == cudaMachine;
}

Error attnc::readGpuCode(std::string_view bytes, GpuCode &code) {
  GpuCode result;
  result.isCubin = isCubin(bytes);
  if (!result.isCubin && bytes.find(".version") == std::string_view::npos)
    return "expected PTX or a cubin";
  if (Error error = result.isCubin ? readCubin(bytes, result) : readPtx(bytes, result))
    return error;
  if (result.kernels.empty())
    return "expected kernels made by attnc, found no metadata";
  code = std::move(result);
  return std::nullopt;
}

std::optional<GpuArch> attnc::parseGpuArch(std::string_view name) {
  constexpr std::string_view prefix = "sm_";
  if (name.substr(0, prefix.size()) != prefix)
    return std::nullopt;
  GpuArch arch;
  const char *end = name.data() + name.size();
  const char *stop = std::from_chars(name.data() + prefix.size(), end, arch.capability).ptr;
  arch.isSpecific = std::string_view(stop, static_cast<size_t>(end - stop)) == "a";
  if (arch.capability <= 0 || (stop != end && !arch.isSpecific))
    return std::nullopt;
  return arch;
}

Error attnc::checkArch(const GpuCode &code, int major, int minor) {
  std::optional<GpuArch> arch = parseGpuArch(code.arch);
  if (!arch)
    return "the code is for `" + code.arch + "`, which this version does not know";
  constexpr int perMajor = 10;
  int capability = major * perMajor + minor;
  bool runs = arch->isSpecific ? capability == arch->capability
              : code.isCubin
                  ? major == arch->capability / perMajor && capability >= arch->capability
                  : capability >= arch->capability;
  if (runs)
    return std::nullopt;
  return "the " + std::string(code.isCubin ? "cubin" : "PTX") + " is for " + code.arch +
         (arch->isSpecific ? " alone"
          : code.isCubin   ? " and later of its generation"
                           : " and later") +
         ", the GPU has compute capability " + std::to_string(major) + "." + std::to_string(minor);
}
