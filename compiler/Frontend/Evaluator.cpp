//===- Evaluator.cpp - Names, entry points and reporting --------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/Evaluator.h"
#include "compiler/Frontend/Builtins.h"
#include "compiler/Frontend/Dimensions.h"
#include "compiler/Frontend/NearestName.h"
#include "llvm/ADT/StringExtras.h"
#include <limits>

using namespace attnc;

Evaluator::Evaluator(const Options &options, Defines &defines, Library &library,
                     DiagnosticEngine &diagnostics, Program &program)
    : options(options), defines(defines), library(library), diagnostics(diagnostics),
      program(program), ops(program.graph) {}

void Evaluator::run(const ast::Module &module) {
  userScope = &makeScope(/*parent=*/nullptr, /*definition=*/nullptr);
  scope = userScope;
  isIncomplete = diagnostics.hasErrors();
  collectModuleNames(module.getBody());
  runBlock(module.getBody());
  scope = userScope;
  program.graph.startRegion();
  evaluateEntryPoint("score_mod");
  program.graph.startRegion();
  evaluateEntryPoint("mask_mod");
  if (!diagnostics.hasErrors())
    reportNearEntryPoints(module);
}

Scope &Evaluator::makeScope(Scope *parent, const ast::FunctionDefStmt *definition) {
  Scope &made = scopes.emplace_back();
  made.parent = parent;
  made.definition = definition;
  return made;
}

//===------------------------------------------------------------------------===//
// Entry points
//===------------------------------------------------------------------------===//

static llvm::StringRef getParameterList(bool isScore) {
  return isScore ? "(score, b, h, q_idx, kv_idx)" : "(b, h, q_idx, kv_idx)";
}

void Evaluator::evaluateEntryPoint(llvm::StringRef name) {
  auto *found = userScope->bindings.find(name);
  if (found == userScope->bindings.end())
    return;
  Scope::Binding binding = found->second;
  Value entry = binding.value;
  if (entry.isPoison() || entry.is(Value::Kind::None) || stopped)
    return;
  bool isScore = name == "score_mod";
  if (!entry.is(Value::Kind::Function)) {
    report(binding.range, DiagId::entry_not_function, name, getParameterList(isScore),
           entry.describe());
    return;
  }
  if (!checkEntryParameters(binding, name, isScore ? 5 : 4))
    return;

  CallOperands operands;
  operands.range = binding.range;
  operands.name = name;
  auto pass = [&](PairArgument argument) {
    ExprId node = program.graph.getArgument(argument, binding.range);
    operands.positional.push_back({Value::runtime(program.graph[node].kind, node), binding.range});
  };
  if (isScore)
    pass(PairArgument::Score);
  for (PairArgument argument :
       {PairArgument::Batch, PairArgument::Head, PairArgument::Query, PairArgument::Key})
    pass(argument);
  returnRange = binding.range;
  Operand result = {callFunction(entry.getFunction(), operands), {}};
  // What the library returns is the matter of whoever chose the function.
  result.range = library.contains(returnRange) ? binding.range : returnRange;
  result.value = load(result.value, result.range);
  if (result.value.isPoison() || stopped)
    return;
  if (result.value.isScalarOf(isScore ? ScalarKind::Float : ScalarKind::Bool)) {
    if (isScore)
      program.score = {ops.getNode(result.value, binding.range), binding.range};
    else if (!result.value.is(Value::Kind::Bool) || !result.value.getBool())
      program.mask = {ops.getNode(result.value, binding.range), binding.range};
    return;
  }
  reportEntryResult(name, result);
}

void Evaluator::reportEntryResult(llvm::StringRef name, Operand result) {
  if (result.value.is(Value::Kind::None)) {
    report(result.range, DiagId::entry_returns_nothing, name);
    return;
  }
  DiagnosticBuilder builder =
      report(result.range, name == "score_mod" ? DiagId::score_mod_result : DiagId::mask_mod_result,
             result.value.describe());
  if (!result.value.isScalar())
    return;
  if (name == "score_mod") {
    suggestWrap(builder, "float", result.range);
  } else {
    SourceRange range = result.range;
    suggest(builder, "compare with 0",
            {Edit{range.beginning(), "("}, Edit{range.ending(), ") != 0"}});
  }
}

bool Evaluator::checkEntryParameters(const Scope::Binding &binding, llvm::StringRef name,
                                     size_t count) {
  const Function &function = binding.value.getFunction();
  size_t required = 0, accepted = 0;
  bool takesRest = false;
  for (auto [i, param] : llvm::enumerate(function.getParams())) {
    bool hasDefault = !function.defaults[i].is(Value::Kind::Unassigned);
    switch (param.kind) {
    case ast::Param::Kind::PositionalOnly:
    case ast::Param::Kind::Positional:
      ++accepted;
      required += !hasDefault;
      break;
    case ast::Param::Kind::VarArgs:
      takesRest = true;
      break;
    case ast::Param::Kind::KeywordOnly:
      // One without a default can never be given.
      if (!hasDefault)
        required = count + 1;
      break;
    }
  }
  if (required <= count && (count <= accepted || takesRest))
    return true;
  DiagnosticBuilder builder =
      report(library.contains(function.getRange()) ? binding.range : function.getRange(),
             DiagId::entry_parameters, name, count, getParameterList(count == 5),
             function.getParams().size());
  // A factory that was not called is the usual case.
  if (function.definition && function.getName() != name)
    builder.hint("call it: `" + name.str() + " = " + function.getName().str() + "(...)`");
  return false;
}

void Evaluator::reportNearEntryPoints(const ast::Module &module) {
  for (llvm::StringRef entry : {"score_mod", "mask_mod"}) {
    if (userScope->bindings.count(entry))
      continue;
    for (const auto &[name, binding] : userScope->bindings) {
      if (!binding.value.is(Value::Kind::Function) || name == "score_mod" || name == "mask_mod" ||
          name.edit_distance(entry, true, 2) > 2 ||
          calledDefinitions.contains(binding.value.getFunction().definition))
        continue;
      report(binding.range, DiagId::near_entry_point, name)
          .hint("did you mean `" + entry.str() + "`?");
    }
  }
}

//===------------------------------------------------------------------------===//
// Names
//===------------------------------------------------------------------------===//

Scope &Evaluator::getLibraryScope() {
  if (!libraryScope) {
    libraryScope = &makeScope(nullptr, nullptr);
    for (const auto &[name, definition] : library.getFunctions()) {
      Function *function = new (allocator.Allocate<Function>()) Function();
      function->definition = definition;
      function->scope = libraryScope;
      llvm::SmallVector<Value> defaults(definition->getParams().size(), Value::unassigned());
      function->defaults = llvm::ArrayRef<Value>(defaults).copy(allocator);
      libraryScope->bindings[name] = {Value::function(function), definition->getName().range};
    }
  }
  return *libraryScope;
}

std::optional<Value> Evaluator::lookupPredefined(llvm::StringRef name, SourceRange range) {
  if (isRunTimeDimension(name))
    return Value::runtime(ScalarKind::Int, program.graph.getDimension(name, getUserRange(range)));
  if (name == "D")
    return Value::integer(options.headDim);
  if (name == "Dv")
    return Value::integer(options.valueDim);
  if (name == "torch")
    return Value::module(ModuleKind::Torch);
  if (name == "math")
    return Value::module(ModuleKind::Math);
  if (name == "typing")
    return Value::module(ModuleKind::Typing);
  if (name == "inf")
    return Value::real(std::numeric_limits<double>::infinity());
  if (std::optional<ElementType> type = parseElementType(std::string_view(name));
      type && *type != ElementType::Bool)
    return Value::type(*type);
  if (const Builtin *builtin = findBuiltin(InPlain, name))
    return Value::builtin(builtin);
  return std::nullopt;
}

Value Evaluator::lookup(llvm::StringRef name, SourceRange range) {
  bool inLibrary = false;
  for (Scope *inner = scope; inner; inner = inner->parent) {
    auto *found = inner->bindings.find(name);
    if (found != inner->bindings.end()) {
      Scope::Binding &binding = found->second;
      if (!binding.value.is(Value::Kind::Unassigned))
        return binding.value;
      report(range, DiagId::not_on_every_path, name)
          .note(binding.range, DiagId::note_assigned_here, name);
      binding.value = Value::poison();
      return binding.value;
    }
    if (inner->definition && getLocalNames(*inner->definition).contains(name)) {
      report(range, DiagId::used_before_assignment, name);
      return Value::poison();
    }
    inLibrary = inner == libraryScope;
  }
  if (!inLibrary) {
    // A name that the file defines further down is not the library's; in `causal = f(causal)` it
    // is.
    auto later = moduleNames.find(name);
    if (later != moduleNames.end() && later->second.begin > range.begin) {
      if (!diagnostics.hasErrorIn(later->second))
        report(range, DiagId::used_before_definition, name)
            .note(later->second, DiagId::note_defined_here, name);
      return Value::poison();
    }
    if (std::optional<Value> value = lookupPredefined(name, range))
      return *value;
    Scope &mods = getLibraryScope();
    auto *found = mods.bindings.find(name);
    if (found != mods.bindings.end())
      return found->second.value;
  } else if (std::optional<Value> value = lookupPredefined(name, range)) {
    return *value;
  }
  reportUnknownName(name, range);
  return Value::poison();
}

void Evaluator::reportUnknownName(llvm::StringRef name, SourceRange range) {
  if (!isNews(range, DiagId::unknown_name))
    return;
  NearestName nearest(name);
  // Each search goes over all names.
  if (++numNameSearches <= maxNameSearches) {
    for (Scope *inner = scope; inner; inner = inner->parent)
      for (const auto &[candidate, binding] : inner->bindings)
        nearest.consider(candidate);
    for (const auto &[candidate, binding] : getLibraryScope().bindings)
      nearest.consider(candidate);
    for (llvm::StringRef dimension : getAllDimensions())
      nearest.consider(dimension);
    forEachBuiltinName(InPlain, [&](llvm::StringRef candidate) { nearest.consider(candidate); });
  }
  DiagnosticBuilder builder = report(range, DiagId::unknown_name, name);
  if (nearest.isFound())
    builder.hint(nearest.getQuestion());
  else if (findBuiltin(InTorch, name))
    builder.hint("did you mean `torch." + name.str() + "`?");
  else if (findBuiltin(InMath, name))
    builder.hint("did you mean `math." + name.str() + "`?");
}

/// Adds the names that assigning to `target` binds.
static void addTargetNames(const ast::Expr &target,
                           llvm::function_ref<void(llvm::StringRef, SourceRange)> add) {
  if (const auto *name = llvm::dyn_cast<ast::NameExpr>(&target))
    add(name->getName(), name->getRange());
  else if (const auto *tuple = llvm::dyn_cast<ast::TupleExpr>(&target))
    for (const ast::Expr *element : tuple->getElements())
      addTargetNames(*element, add);
}

void attnc::forEachBoundName(ast::Block block,
                             llvm::function_ref<void(llvm::StringRef, SourceRange)> add) {
  for (const ast::Stmt *stmt : block) {
    switch (stmt->getKind()) {
    case ast::Stmt::Kind::FunctionDef: {
      ast::Name name = llvm::cast<ast::FunctionDefStmt>(stmt)->getName();
      add(name.text, name.range);
      break;
    }
    case ast::Stmt::Kind::Assign:
      for (const ast::Expr *target : llvm::cast<ast::AssignStmt>(stmt)->getTargets())
        addTargetNames(*target, add);
      break;
    case ast::Stmt::Kind::AugAssign:
      addTargetNames(*llvm::cast<ast::AugAssignStmt>(stmt)->getTarget(), add);
      break;
    case ast::Stmt::Kind::Decl: {
      ast::Name name = llvm::cast<ast::DeclStmt>(stmt)->getName();
      add(name.text, name.range);
      break;
    }
    case ast::Stmt::Kind::If: {
      const auto *branch = llvm::cast<ast::IfStmt>(stmt);
      for (const ast::IfStmt::Clause &clause : branch->getClauses())
        forEachBoundName(clause.body, add);
      forEachBoundName(branch->getElseBody(), add);
      break;
    }
    case ast::Stmt::Kind::For: {
      const auto *loop = llvm::cast<ast::ForStmt>(stmt);
      addTargetNames(*loop->getTarget(), add);
      forEachBoundName(loop->getBody(), add);
      break;
    }
    case ast::Stmt::Kind::Import:
      for (const ast::ImportStmt::Alias &alias : llvm::cast<ast::ImportStmt>(stmt)->getAliases()) {
        ast::Name name = alias.asName.text.empty() ? alias.name : alias.asName;
        add(name.text.split('.').first, name.range);
      }
      break;
    case ast::Stmt::Kind::Return:
    case ast::Stmt::Kind::Pass:
    case ast::Stmt::Kind::Assert:
    case ast::Stmt::Kind::Raise:
    case ast::Stmt::Kind::Expr:
      break;
    }
  }
}

const llvm::DenseSet<llvm::StringRef> &
Evaluator::getLocalNames(const ast::FunctionDefStmt &definition) {
  auto [entry, isNew] = localNames.try_emplace(&definition);
  if (isNew)
    forEachBoundName(
        definition.getBody(),
        [&set = entry->second](llvm::StringRef name, SourceRange) { set.insert(name); });
  return entry->second;
}

void Evaluator::collectModuleNames(ast::Block block) {
  forEachBoundName(block, [&](llvm::StringRef name, SourceRange range) {
    moduleNames.try_emplace(name, range);
  });
}

//===------------------------------------------------------------------------===//
// Reporting and limits
//===------------------------------------------------------------------------===//

SourceRange Evaluator::getUserRange(SourceRange range) const {
  for (size_t i = frames.size(); i-- > 0 && library.contains(range);)
    range = frames[i].callRange;
  return range;
}

bool Evaluator::isNews(SourceRange range, DiagId id) const {
  // After the evaluation was given up, what remains says nothing about the program.
  if (stopped ||
      (isIncomplete && (id == DiagId::unknown_name || id == DiagId::used_before_definition)))
    return false;
  SourceRange place = getUserRange(range);
  return !reported.contains({place.file, place.begin, place.end, id});
}

void Evaluator::addContext(DiagnosticBuilder &builder, SourceRange range) {
  static constexpr unsigned maxNotes = 4;
  if (library.contains(range)) {
    builder.note(range, DiagId::note_in_library, frames.back().function->getName());
    return;
  }
  unsigned notes = 0;
  SourceRange last;
  // The first frame is the entry point's, called by no one.
  for (size_t i = frames.size(); i-- > 1 && notes < maxNotes;) {
    SourceRange place = frames[i].callRange;
    if (library.contains(place) || place == last)
      continue;
    last = place;
    builder.note(place, DiagId::note_called_here, frames[i].function->getName());
    ++notes;
  }
}

void Evaluator::suggest(DiagnosticBuilder &builder, std::string title, llvm::ArrayRef<Edit> edits) {
  for (const Edit &edit : edits)
    if (library.contains(edit.range))
      return;
  builder.fixIt(std::move(title), edits);
}

void Evaluator::suggestWrap(DiagnosticBuilder &builder, llvm::StringRef function,
                            SourceRange range) {
  std::string title = "write `" + function.str() + "(" + range.text().str() + ")`";
  llvm::StringRef text = range.file->getText();
  bool hasParentheses =
      range.begin > 0 && text[range.begin - 1] == '(' && text.substr(range.end).starts_with(")");
  // Behind a name the parentheses are those of a call.
  hasParentheses &= range.begin < 2 || !(llvm::isAlnum(text[range.begin - 2]) ||
                                         llvm::StringRef("_)]").contains(text[range.begin - 2]));
  if (hasParentheses) {
    SourceRange before = {range.file, range.begin - 1, range.begin - 1};
    suggest(builder, title, {Edit{before, function.str()}});
    return;
  }
  suggest(builder, title,
          {Edit{range.beginning(), function.str() + "("}, Edit{range.ending(), ")"}});
}

void Evaluator::stop(SourceRange range, DiagId id, uint64_t limit) {
  if (!stopped)
    report(range, id, limit);
  stopped = true;
}

bool Evaluator::spend(uint64_t amount, SourceRange range) {
  spent += std::min(amount, maxWork);
  if (spent > maxWork)
    stop(range, DiagId::too_much_work, maxWork);
  else if (program.graph.size() > maxNodes)
    stop(range, DiagId::too_many_operations, maxNodes);
  return !stopped;
}

Value Evaluator::makeTuple(llvm::ArrayRef<Value> elements, SourceRange range) {
  auto *data = new (allocator.Allocate<TupleData>()) TupleData();
  for (const Value &element : elements) {
    if (!element.is(Value::Kind::Tuple)) {
      ++data->weight;
      continue;
    }
    data->weight += element.getTuple().weight;
    data->depth = std::max(data->depth, element.getTuple().depth + 1);
  }
  if (data->depth > maxTupleDepth)
    stop(range, DiagId::tuple_too_deep, maxTupleDepth);
  if (data->weight > maxTupleWeight)
    stop(range, DiagId::tuple_too_large, maxTupleWeight);
  if (!spend(elements.size(), range))
    return Value::poison();
  data->elements = elements.copy(allocator);
  return Value::tuple(data);
}

Value Evaluator::makeString(llvm::StringRef text) {
  return Value::string(new (allocator.Allocate<llvm::StringRef>())
                           llvm::StringRef(text.copy(allocator)));
}

Value Evaluator::makeForeign(llvm::StringRef name) {
  return Value::foreign(new (allocator.Allocate<ForeignName>()) ForeignName{name.copy(allocator)});
}

std::string attnc::count(size_t number, llvm::StringRef one, llvm::StringRef many) {
  std::string text = llvm::utostr(number) + " ";
  if (number == 1)
    return text + one.str();
  return text + (many.empty() ? one.str() + "s" : many.str());
}
