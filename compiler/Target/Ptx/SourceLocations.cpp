//===- SourceLocations.cpp - Where PTX comes from ---------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Target/Ptx/SourceLocations.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace attnc;

/// The place in the program; without one, the first of the file of `scope`.
static FileLineColLoc getPlace(Location location, FileLineColLoc scope) {
  auto place = location->findInstanceOf<FileLineColLoc>();
  return place && place.getFilename() == scope.getFilename() ? place : scope;
}

namespace {
class LocationEncoder {
public:
  explicit LocationEncoder(MLIRContext *context) : context(context) {}

  void encode(LLVM::LLVMFuncOp function);

  std::vector<std::string> names = {""};

private:
  Location encode(Location location, FileLineColLoc scope);
  LLVM::DISubprogramAttr createScope(LLVM::LLVMFuncOp function, FileLineColLoc place);

  MLIRContext *context;
  llvm::StringMap<unsigned> numbers;
  /// Ops share few locations.
  DenseMap<Location, Location> known;
  LLVM::DICompileUnitAttr unit;
};
} // namespace

Location LocationEncoder::encode(Location location, FileLineColLoc scope) {
  FileLineColLoc place = getPlace(location, scope);
  unsigned phase = 0;
  if (auto named = dyn_cast<NameLoc>(location)) {
    // IR that was read may have any number of names.
    bool isFull = names.size() >> PhaseColumn::phaseBits != 0;
    auto [found, isNew] = numbers.try_emplace(named.getName(), isFull ? 0 : names.size());
    if (isNew && !isFull)
      names.push_back(named.getName().str());
    phase = found->second;
  }
  return FileLineColLoc::get(place.getFilename(), place.getLine(),
                             PhaseColumn::encode(phase, place.getColumn()));
}

LLVM::DISubprogramAttr LocationEncoder::createScope(LLVM::LLVMFuncOp function,
                                                    FileLineColLoc place) {
  StringRef path = place.getFilename();
  auto file = LLVM::DIFileAttr::get(context, llvm::sys::path::filename(path),
                                    llvm::sys::path::parent_path(path));
  if (!unit)
    unit = LLVM::DICompileUnitAttr::get(DistinctAttr::create(UnitAttr::get(context)),
                                        llvm::dwarf::DW_LANG_C, file,
                                        StringAttr::get(context, "attnc"), /*isOptimized=*/true,
                                        LLVM::DIEmissionKind::DebugDirectivesOnly);
  return LLVM::DISubprogramAttr::get(
      context, DistinctAttr::create(UnitAttr::get(context)), unit, file, function.getNameAttr(),
      function.getNameAttr(), file, place.getLine(), place.getLine(),
      LLVM::DISubprogramFlags::Definition, LLVM::DISubroutineTypeAttr::get(context, {}), {}, {});
}

void LocationEncoder::encode(LLVM::LLVMFuncOp function) {
  auto place = function.getLoc()->findInstanceOf<FileLineColLoc>();
  if (!place || function.isExternal())
    return;
  known.clear();
  function.walk([&](Operation *op) {
    auto [found, isNew] = known.try_emplace(op->getLoc(), op->getLoc());
    if (isNew)
      found->second = encode(op->getLoc(), place);
    op->setLoc(found->second);
  });
  function->setLoc(FusedLoc::get(context, {Location(place)}, createScope(function, place)));
}

std::vector<std::string> attnc::encodeLocations(ModuleOp module) {
  LocationEncoder encoder(module.getContext());
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    encoder.encode(function);
  return encoder.names;
}
