//===- Evaluator.h - Runs an .attn file at compile time -----------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// A partial evaluator: it runs the file from top to bottom as Python would, then calls score_mod
// and mask_mod with symbols. What is known is computed; what is not becomes nodes of the ExprGraph.
// A mistake is reported once and gives Poison, which passes through everything in silence.
//
// The member functions are defined by theme: Evaluator.cpp (names, entry points, reporting),
// EvaluateStatements.cpp, EvaluateExpressions.cpp, EvaluateOperators.cpp, EvaluateTensors.cpp,
// EvaluateCalls.cpp, EvaluateComprehensions.cpp and EvaluateDeclarations.cpp.
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_FRONTEND_EVALUATOR_H
#define COMPILER_FRONTEND_EVALUATOR_H

#include "compiler/Frontend/Defines.h"
#include "compiler/Frontend/Diagnostics.h"
#include "compiler/Frontend/Library.h"
#include "compiler/Frontend/Program.h"
#include "compiler/Frontend/ScalarOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"
#include <set>

namespace attnc {

/// The operands of a call of a builtin.
struct CallOperands {
  struct Keyword {
    ast::Name name;
    Operand operand;
  };

  /// The whole call.
  SourceRange range;
  /// What was called, as written: `torch.where`.
  llvm::StringRef name;
  llvm::SmallVector<Operand, 4> positional;
  llvm::SmallVector<Keyword, 2> keywords;
};

class Evaluator {
public:
  struct Options {
    int64_t headDim = 128;
    int64_t valueDim = 128;
    /// Builtins whose hardware approximation is allowed.
    const llvm::StringSet<> *approximate = nullptr;
  };

  Evaluator(const Options &options, Defines &defines, Library &library,
            DiagnosticEngine &diagnostics, Program &program);

  /// Evaluates `module` into the program. After errors the program is incomplete.
  void run(const ast::Module &module);

  //===----------------------------------------------------------------------===//
  // For builtins
  //===----------------------------------------------------------------------===//

  ScalarOps &getOps() { return ops; }
  bool isApproximate(llvm::StringRef builtin) const {
    return options.approximate && options.approximate->contains(builtin);
  }
  /// The place of the user's text that stands for `range`: itself, or the call that led into the
  /// library.
  SourceRange getUserRange(SourceRange range) const;

  template <typename... Args>
  DiagnosticBuilder report(SourceRange range, DiagId id, const Args &...args) {
    if (!isNews(range, id))
      return DiagnosticBuilder(ignored);
    SourceRange place = getUserRange(range);
    reported.insert({place.file, place.begin, place.end, id});
    DiagnosticBuilder builder = diagnostics.report(place, id, args...);
    addContext(builder, range);
    return builder;
  }
  /// Adds a fix-it, unless it would change the library.
  void suggest(DiagnosticBuilder &builder, std::string title, llvm::ArrayRef<Edit> edits);
  /// Suggests to write `function(...)` around the text of `range`.
  void suggestWrap(DiagnosticBuilder &builder, llvm::StringRef function, SourceRange range);

  Value makeTuple(llvm::ArrayRef<Value> elements, SourceRange range);
  Value makeString(llvm::StringRef text);
  Value makeForeign(llvm::StringRef name);

  /// A tensor of rank 0 as its element; other values as they are.
  Value load(Value value, SourceRange range);
  /// Turn the operand into a value of that sort, or report what it is instead and return false.
  bool requireNumber(Operand &operand, llvm::StringRef user);
  bool requireScalar(Operand &operand, llvm::StringRef user);
  bool requireBool(Operand &operand, llvm::StringRef user);
  bool requireInt(Operand &operand, llvm::StringRef user);

  /// Reports what Python calls a division by zero, and returns false; at run time a quotient
  /// follows IEEE 754.
  bool checkDivision(ast::BinaryOp op, Operand lhs, Operand rhs, llvm::StringRef spelling);
  Value binary(ast::BinaryOp op, Operand lhs, Operand rhs, SourceRange range,
               llvm::StringRef spelling);
  Value compare(ast::CompareOp op, Operand lhs, Operand rhs, SourceRange range);
  Value unary(ast::UnaryOp op, Operand operand, SourceRange range);
  /// `value` where `condition` (a run-time bool) holds, else `other`; reports arms that do not fit.
  Value choose(Value condition, Operand value, Operand other, SourceRange range);
  /// As a condition at compile time or run time; reports what is no bool.
  Value condition(Operand operand);

  Value index(Operand base, llvm::ArrayRef<Operand> indices, SourceRange range);
  /// The sizes of a tensor's remaining dimensions, as a tuple.
  Value getShape(const TensorRef &tensor, SourceRange range);
  /// The number of a tensor's elements.
  Value getNumElements(const TensorRef &tensor, SourceRange range);
  /// `value` converted to what a declaration of `type` holds.
  Value convertTo(Operand value, ElementType type, llvm::StringRef name);
  /// The element type that a value names as an argument: a type, `int`, `float` or `bool`.
  std::optional<ElementType> getNamedType(const Value &value) const;

  Value call(Operand callee, CallOperands &operands);

  /// Counts work; false once the program has done too much, which is reported.
  bool spend(uint64_t amount, SourceRange range);

private:
  //===----------------------------------------------------------------------===//
  // Names and reporting
  //===----------------------------------------------------------------------===//

  /// Whether `report` would say it. Whoever searches for what was meant asks first: a loop may come
  /// to one mistake many thousand times.
  bool isNews(SourceRange range, DiagId id) const;
  void addContext(DiagnosticBuilder &builder, SourceRange range);
  void stop(SourceRange range, DiagId id, uint64_t limit);

  Value lookup(llvm::StringRef name, SourceRange range);
  /// A name of the language itself; nothing if there is none.
  std::optional<Value> lookupPredefined(llvm::StringRef name, SourceRange range);
  void reportUnknownName(llvm::StringRef name, SourceRange range);
  Scope &getLibraryScope();
  Scope &makeScope(Scope *parent, const ast::FunctionDefStmt *definition);
  const llvm::DenseSet<llvm::StringRef> &getLocalNames(const ast::FunctionDefStmt &definition);
  bool isModuleScope() const { return scope == userScope; }

  void collectModuleNames(ast::Block block);
  void evaluateEntryPoint(llvm::StringRef name);
  void reportEntryResult(llvm::StringRef name, Operand result);
  bool checkEntryParameters(const Scope::Binding &binding, llvm::StringRef name, size_t count);
  void reportNearEntryPoints(const ast::Module &module);

  //===----------------------------------------------------------------------===//
  // Statements
  //===----------------------------------------------------------------------===//

  /// With what a block has returned, and on which paths.
  struct Completion {
    struct Return {
      /// A bool known at run time only.
      Value condition;
      Operand result;
    };

    /// The first whose condition holds is what is returned.
    llvm::SmallVector<Return, 2> returns;
    /// What is returned where none holds; nothing if the block goes on there.
    std::optional<Operand> last;

    /// Whether every path returns.
    bool isDone() const { return last.has_value(); }
    /// Whether no path returns.
    bool isOpen() const { return !last && returns.empty(); }
    /// Whether it depends on a mistake.
    bool isPoison() const {
      return llvm::any_of(returns, [](const Return &early) { return early.condition.isPoison(); });
    }
    static Completion done(Operand result) {
      Completion completion;
      completion.last = result;
      return completion;
    }
  };
  using Bindings = decltype(Scope::bindings);

  Completion runBlock(ast::Block block);
  Completion runStatement(const ast::Stmt &stmt);
  Completion runIf(const ast::IfStmt &stmt, size_t clause);
  Completion runIfAtRunTime(const ast::IfStmt &stmt, size_t clause, Value condition,
                            SourceRange range);
  Completion runFor(const ast::ForStmt &stmt);
  void runFunctionDef(const ast::FunctionDefStmt &stmt);
  void runAssign(const ast::AssignStmt &stmt);
  void runAugAssign(const ast::AugAssignStmt &stmt);
  void runLocalDeclaration(const ast::DeclStmt &stmt);
  /// False if it failed.
  bool runAssert(const ast::AssertStmt &stmt);
  Completion giveUp(const ast::Stmt &stmt);
  void runRaise(const ast::RaiseStmt &stmt);
  void runImport(const ast::ImportStmt &stmt);
  /// Binds what a skipped statement would have bound, so that its uses stay silent.
  void poison(ast::Block block);

  void assign(const ast::Expr &target, Operand value, bool isRebinding = false);
  void bind(llvm::StringRef name, Value value, SourceRange range, bool isRebinding = false);
  void join(Completion &first, Completion second);
  Completion merge(Value condition, Completion taken, Completion other, SourceRange range);
  Bindings mergeBindings(Value condition, const Bindings &taken, const Bindings &other,
                         SourceRange range);
  /// Like choose(), but nothing instead of an error if the arms do not fit.
  std::optional<Value> tryChoose(Value condition, Value value, Value other, SourceRange range);

  //===----------------------------------------------------------------------===//
  // Expressions
  //===----------------------------------------------------------------------===//

  Value evaluate(const ast::Expr &expr);
  Operand evaluateOperand(const ast::Expr &expr) { return {evaluate(expr), expr.getRange()}; }
  Value dispatch(const ast::Expr &expr);
  Value evaluateElements(llvm::ArrayRef<const ast::Expr *> elements, SourceRange range);
  /// `parent` is the comparison that `expr` is an operand of, without parentheses.
  Value evaluateBinary(const ast::BinaryExpr &expr, const ast::CompareExpr *parent);
  Value evaluateBool(const ast::BoolExpr &expr);
  Value evaluateCompare(const ast::CompareExpr &expr);
  Value evaluateConditional(const ast::ConditionalExpr &expr);
  Value evaluateComprehension(const ast::ComprehensionExpr &expr);
  /// Appends what the clauses from `clause` on yield; false after an error.
  bool collectElements(const ast::ComprehensionExpr &expr, size_t clause,
                       llvm::SmallVectorImpl<Value> &elements);
  Value evaluateSubscript(const ast::SubscriptExpr &expr);
  Value evaluateAttribute(const ast::AttributeExpr &expr);
  Value evaluateLambda(const ast::LambdaExpr &expr);
  Value evaluateCall(const ast::CallExpr &expr);
  std::optional<int64_t> evaluateSliceBound(const ast::Expr *expr, bool &failed);
  Value evaluateSlice(Operand base, const ast::SliceExpr &slice, SourceRange range);

  Value tupleOperation(ast::BinaryOp op, Operand lhs, Operand rhs, SourceRange range,
                       llvm::StringRef spelling);
  std::optional<Value> compareWhole(Operand lhs, Operand rhs, SourceRange range);
  Value compareIdentity(ast::CompareOp op, Operand lhs, Operand rhs, SourceRange range);
  Value compareMembership(ast::CompareOp op, Operand lhs, Operand rhs, SourceRange range);
  std::optional<bool> getTruth(const Value &value) const;
  /// Reports `&`, `|` or `^` between a bool and a number, with the form that may be meant.
  void reportMixedBits(const ast::BinaryExpr &expr, Operand lhs, Operand rhs,
                       const ast::CompareExpr *parent);
  DiagnosticBuilder reportOperand(Operand operand, llvm::StringRef user, llvm::StringRef expected);
  void reportBoolOperand(llvm::StringRef user, SourceRange range);
  void warnOfPrecedence(const ast::CompareExpr &expr);

  /// Whether a name is one of those that objects of Python usually have, and nothing here.
  bool isObject(const ast::NameExpr &name) const;
  bool reportTensorWork(llvm::StringRef name, SourceRange range);
  void reportUnknownAttribute(Operand base, ast::Name name);
  std::optional<Value> findModuleAttribute(ModuleKind module, llvm::StringRef name);
  Value getAttribute(Operand base, ast::Name name, SourceRange range);
  Value getModuleAttribute(ModuleKind module, ast::Name name, SourceRange range);
  Value indexTensor(const TensorRef &tensor, Operand base, llvm::ArrayRef<Operand> indices,
                    SourceRange range);
  Value indexTuple(Operand base, Operand index, SourceRange range);
  /// The index as written, or nothing (reported) if it is a constant outside the dimension.
  std::optional<Value> checkIndex(Operand index, Value size, const TensorRef &tensor,
                                  unsigned dimension);
  Value loadElement(const TensorRef &tensor, SourceRange range);

  //===----------------------------------------------------------------------===//
  // Calls
  //===----------------------------------------------------------------------===//

  bool evaluateArguments(const ast::CallExpr &expr, CallOperands &operands);
  Value callFunction(const Function &function, CallOperands &operands);
  bool bindArguments(const Function &function, CallOperands &operands, Scope &locals);
  Value finishCall(const Function &function, Completion completion);
  Value makeFunction(const ast::FunctionDefStmt *definition, const ast::LambdaExpr *lambda,
                     llvm::ArrayRef<ast::Param> params);

  //===----------------------------------------------------------------------===//
  // Declarations
  //===----------------------------------------------------------------------===//

  /// An annotation of the language: `i32`, `f32[B, KV]`.
  struct DeclaredType {
    ElementType type;
    /// Null for a scalar.
    const ast::SubscriptExpr *shape = nullptr;
  };
  std::optional<DeclaredType> getDeclaredType(const ast::Expr &annotation);
  void runDeclaration(const ast::DeclStmt &stmt);
  void declareScale(const ast::DeclStmt &stmt, const DeclaredType &type);
  void declareTensor(const ast::DeclStmt &stmt, const DeclaredType &type);
  void reportMissingType(const ast::DeclStmt &stmt);
  bool checkForeignType(const ast::Expr &annotation);
  void bindExtents(const ast::Expr &expr);
  bool evaluateSizes(const ast::DeclStmt &stmt, const DeclaredType &type, Declaration &declaration);
  Value evaluateSize(const ast::Expr &expr);
  bool isShapeExpression(Value size) const;
  /// `literal` is the expression that gave `value`, or null.
  bool fillTable(Operand value, const ast::Expr *literal, Declaration &declaration);
  bool fillTable(Operand value, const ast::Expr *literal, size_t dimension,
                 Declaration &declaration);
  /// The value of `-D name=`, or `value`.
  Value override(llvm::StringRef name, SourceRange range, Value value);
  Value overrideDeclared(ast::Name name, Operand value, ElementType type);
  Value makeDefined(const DefineValue &defined, SourceRange range);
  std::string findMismatch(Value given, ElementType type) const;
  void setScale(Operand value);
  Value checkAnnotation(const ast::Expr *annotation, Operand value, llvm::StringRef name);
  /// Adds to the program what a kernel declares.
  Declaration &addDeclaration(Declaration declaration);
  bool checkDeclarable(llvm::StringRef name, SourceRange range);

  struct Frame {
    const Function *function;
    SourceRange callRange;
  };

  const Options &options;
  Defines &defines;
  Library &library;
  DiagnosticEngine &diagnostics;
  Program &program;
  ScalarOps ops;

  llvm::BumpPtrAllocator allocator;
  std::deque<Scope> scopes;
  Scope *userScope = nullptr;
  Scope *libraryScope = nullptr;
  /// Where names are bound now.
  Scope *scope = nullptr;
  llvm::SmallVector<Frame, 16> frames;
  llvm::DenseMap<const ast::FunctionDefStmt *, llvm::DenseSet<llvm::StringRef>> localNames;
  /// The names that statements at the top level bind, and where.
  llvm::DenseMap<llvm::StringRef, SourceRange> moduleNames;

  llvm::DenseSet<const ast::FunctionDefStmt *> calledDefinitions;
  /// The expression whose value the last call returned.
  SourceRange returnRange;

  /// The run-time conditions around what is evaluated.
  unsigned conditionDepth = 0;
  unsigned depth = 0;
  uint64_t spent = 0;
  bool stopped = false;
  /// Whether the parser left statements with errors out, so that names may be missing.
  bool isIncomplete = false;

  unsigned numNameSearches = 0;

  /// What was reported, by place and id, for each mistake to be reported once.
  std::set<std::tuple<const SourceFile *, uint32_t, uint32_t, DiagId>> reported;
  /// Takes what is added to diagnostics that are not news.
  Diagnostic ignored;

  static constexpr uint64_t maxWork = 2'000'000;
  static constexpr size_t maxNodes = 100'000;
  static constexpr unsigned maxDepth = 2'000;
  static constexpr unsigned maxCalls = 200;
  static constexpr size_t maxTupleWeight = 65'536;
  static constexpr unsigned maxTupleDepth = 64;
  static constexpr size_t maxDeclarations = 1'024;
  /// Unknown names beyond this many come without a suggestion.
  static constexpr unsigned maxNameSearches = 100;
};

/// "1 element", "3 elements".
std::string count(size_t number, llvm::StringRef one, llvm::StringRef many = "");

/// Calls `add` with each name that the statements of `block` bind, and where.
void forEachBoundName(ast::Block block, llvm::function_ref<void(llvm::StringRef, SourceRange)> add);

} // namespace attnc

#endif // COMPILER_FRONTEND_EVALUATOR_H
