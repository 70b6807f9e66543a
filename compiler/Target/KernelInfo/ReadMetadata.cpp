//===- ReadMetadata.cpp - The metadata in files of kernels ------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Target/KernelInfo/ReadMetadata.h"
#include "attnc/KernelMetadata.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"

using namespace attnc;
using llvm::StringRef;

/// Adds the JSON text in `bytes`, which end with a zero.
static llvm::Error addText(StringRef name, StringRef bytes, llvm::json::Array &all) {
  llvm::Expected<llvm::json::Value> value =
      llvm::json::parse(bytes.take_until([](char c) { return c == '\0'; }));
  if (!value)
    return llvm::createStringError("`" + name +
                                   "` is not JSON: " + llvm::toString(value.takeError()));
  const llvm::json::Object *kernel = value->getAsObject();
  if (!kernel || !kernel->getString("name"))
    return llvm::createStringError("`" + name + "` does not name a kernel");
  all.push_back(std::move(*value));
  return llvm::Error::success();
}

/// Reads `.visible .global .align 1 .b8 NAME_metadata[N] = {123, 34, ...};`.
static llvm::Error readPtx(StringRef text, llvm::json::Array &all) {
  for (StringRef line : llvm::split(text, '\n')) {
    auto [left, right] = line.split(" = {");
    StringRef name = left.rsplit(' ').second.take_until([](char c) { return c == '['; });
    if (right.empty() || !left.contains(".b8 ") || !name.ends_with(metadataSuffix))
      continue;
    std::string bytes;
    for (StringRef number : llvm::split(right.take_until([](char c) { return c == '}'; }), ',')) {
      unsigned char byte = 0;
      if (number.trim().getAsInteger(0, byte))
        return llvm::createStringError("`" + name + "` holds `" + number.trim() +
                                       "`, which is not a byte");
      bytes += static_cast<char>(byte);
    }
    if (llvm::Error error = addText(name, bytes, all))
      return error;
  }
  return llvm::Error::success();
}

/// Reads the bytes of the symbols NAME_metadata.
static llvm::Error readObject(llvm::MemoryBufferRef file, llvm::json::Array &all) {
  llvm::Expected<std::unique_ptr<llvm::object::ObjectFile>> object =
      llvm::object::ObjectFile::createObjectFile(file);
  if (!object)
    return object.takeError();
  // Host images have the symbols that loaders see, and no others.
  std::vector<llvm::object::SymbolRef> symbols((*object)->symbol_begin(), (*object)->symbol_end());
  if (auto *elf = llvm::dyn_cast<llvm::object::ELFObjectFileBase>(object->get());
      elf && symbols.empty())
    llvm::append_range(symbols, elf->getDynamicSymbolIterators());
  for (const llvm::object::SymbolRef &symbol : symbols) {
    llvm::Expected<StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    if (!name->ends_with(metadataSuffix))
      continue;
    llvm::Expected<llvm::object::section_iterator> section = symbol.getSection();
    if (!section)
      return section.takeError();
    if (*section == (*object)->section_end())
      continue;
    llvm::Expected<StringRef> contents = (*section)->getContents();
    if (!contents)
      return contents.takeError();
    llvm::Expected<uint64_t> address = symbol.getAddress();
    if (!address)
      return address.takeError();
    uint64_t offset = *address - (*section)->getAddress();
    if (offset >= contents->size())
      return llvm::createStringError("`" + *name + "` lies outside its section");
    if (llvm::Error error = addText(*name, contents->drop_front(offset), all))
      return error;
  }
  return llvm::Error::success();
}

llvm::Expected<llvm::json::Array> attnc::readMetadata(llvm::MemoryBufferRef file) {
  llvm::json::Array all;
  bool isObject = file.getBuffer().starts_with("\177ELF");
  if (!isObject && !file.getBuffer().contains(".version"))
    return llvm::createStringError("expected PTX, a cubin, an object file, a library or a package");
  if (llvm::Error error = isObject ? readObject(file, all) : readPtx(file.getBuffer(), all))
    return error;
  if (all.empty())
    return llvm::createStringError("expected kernels made by attnc, found no metadata");
  return all;
}
