//===- SyntaxTree.cpp - Parsing and comparing in tests --------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "test/unit/Frontend/SyntaxTree.h"
#include "compiler/Frontend/ASTPrinter.h"
#include "compiler/Frontend/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>

using namespace attnc;
using namespace attnc::ast;
using namespace attnc::test;

namespace {

/// Prints trees as nested lists, so that two texts are equal exactly if the trees are.
class Dumper {
public:
  explicit Dumper(llvm::raw_ostream &os) : os(os) {}

  void dump(Block block) {
    for (const Stmt *stmt : block)
      dump(*stmt);
  }

  void dump(const Expr *expr) {
    if (!expr) {
      os << "-";
      return;
    }
    switch (expr->getKind()) {
    case Expr::Kind::IntLiteral:
      os << llvm::cast<IntLiteral>(expr)->getUnsignedValue();
      break;
    case Expr::Kind::FloatLiteral:
      os << llvm::format("%a", llvm::cast<FloatLiteral>(expr)->getValue());
      break;
    case Expr::Kind::BoolLiteral:
      os << (llvm::cast<BoolLiteral>(expr)->getValue() ? "true" : "false");
      break;
    case Expr::Kind::NoneLiteral:
      os << "none";
      break;
    case Expr::Kind::EllipsisLiteral:
      os << "...";
      break;
    case Expr::Kind::StringLiteral:
      dumpString(llvm::cast<StringLiteral>(expr));
      break;
    case Expr::Kind::Name:
      os << llvm::cast<NameExpr>(expr)->getName();
      break;
    case Expr::Kind::Tuple:
      list("tuple", llvm::cast<TupleExpr>(expr)->getElements());
      break;
    case Expr::Kind::List:
      list("list", llvm::cast<ListExpr>(expr)->getElements());
      break;
    case Expr::Kind::Unary:
      list(getSpelling(llvm::cast<UnaryExpr>(expr)->getOp()),
           llvm::cast<UnaryExpr>(expr)->getOperand());
      break;
    case Expr::Kind::Binary:
      list(getSpelling(llvm::cast<BinaryExpr>(expr)->getOp()),
           {llvm::cast<BinaryExpr>(expr)->getLHS(), llvm::cast<BinaryExpr>(expr)->getRHS()});
      break;
    case Expr::Kind::Bool:
      list(getSpelling(llvm::cast<BoolExpr>(expr)->getOp()),
           llvm::cast<BoolExpr>(expr)->getOperands());
      break;
    case Expr::Kind::Compare: {
      std::string ops = "compare";
      for (CompareExpr::Op op : llvm::cast<CompareExpr>(expr)->getOps())
        ops += ":" + getSpelling(op.op).str();
      list(ops, llvm::cast<CompareExpr>(expr)->getOperands());
      break;
    }
    case Expr::Kind::Conditional: {
      const auto *conditional = llvm::cast<ConditionalExpr>(expr);
      list("if", {conditional->getCondition(), conditional->getTrueValue(),
                  conditional->getFalseValue()});
      break;
    }
    case Expr::Kind::Call:
      os << "(call ";
      dump(llvm::cast<CallExpr>(expr)->getCallee());
      for (const Argument &argument : llvm::cast<CallExpr>(expr)->getArguments()) {
        constexpr llvm::StringRef marks[] = {"", "=", "*", "**"};
        os << ' ' << argument.keyword.text << marks[static_cast<unsigned>(argument.kind)];
        dump(argument.value);
      }
      os << ')';
      break;
    case Expr::Kind::Subscript: {
      const auto *subscript = llvm::cast<SubscriptExpr>(expr);
      os << "(index ";
      dump(subscript->getBase());
      for (const Expr *index : subscript->getIndices()) {
        os << ' ';
        dump(index);
      }
      os << ')';
      break;
    }
    case Expr::Kind::Slice: {
      const auto *slice = llvm::cast<SliceExpr>(expr);
      list("slice", {slice->getLower(), slice->getUpper(), slice->getStep()});
      break;
    }
    case Expr::Kind::Attribute:
      os << "(. ";
      dump(llvm::cast<AttributeExpr>(expr)->getBase());
      os << ' ' << llvm::cast<AttributeExpr>(expr)->getName().text << ')';
      break;
    case Expr::Kind::Lambda:
      os << "(lambda ";
      dump(llvm::cast<LambdaExpr>(expr)->getParams());
      os << ' ';
      dump(llvm::cast<LambdaExpr>(expr)->getBody());
      os << ')';
      break;
    case Expr::Kind::Comprehension: {
      const auto *comprehension = llvm::cast<ComprehensionExpr>(expr);
      os << (comprehension->isList() ? "(each-list " : "(each ");
      dump(comprehension->getElement());
      for (const ComprehensionExpr::Clause &clause : comprehension->getClauses()) {
        os << ' ';
        list("for", {clause.target, clause.iterable});
        list("", clause.conditions);
      }
      os << ')';
      break;
    }
    }
  }

private:
  void dumpString(const StringLiteral *literal) {
    if (!literal)
      return;
    os << (literal->isFormat() ? "f'" : "'");
    os.write_escaped(literal->getValue()) << '\'';
  }

  void list(llvm::StringRef head, llvm::ArrayRef<const Expr *> elements) {
    os << '(' << head;
    for (const Expr *element : elements) {
      os << ' ';
      dump(element);
    }
    os << ')';
  }

  void dump(llvm::ArrayRef<Param> params) {
    os << '[';
    for (const Param &param : params) {
      constexpr llvm::StringRef marks[] = {"/", "", "*", "="};
      os << ' ' << marks[static_cast<unsigned>(param.kind)] << param.name.text << ' ';
      dump(param.annotation);
      os << ' ';
      dump(param.defaultValue);
    }
    os << ']';
  }

  void dump(const Stmt &stmt) {
    os << '(';
    switch (stmt.getKind()) {
    case Stmt::Kind::FunctionDef: {
      const auto &function = llvm::cast<FunctionDefStmt>(stmt);
      os << "def " << function.getName().text << ' ';
      dump(function.getParams());
      dump(function.getReturnAnnotation());
      dumpString(function.getDocstring());
      os << '\n';
      dump(function.getBody());
      break;
    }
    case Stmt::Kind::Assign:
      list("set", llvm::cast<AssignStmt>(stmt).getTargets());
      dump(llvm::cast<AssignStmt>(stmt).getValue());
      break;
    case Stmt::Kind::AugAssign: {
      const auto &assign = llvm::cast<AugAssignStmt>(stmt);
      list(getSpelling(assign.getOp()), {assign.getTarget(), assign.getValue()});
      os << '=';
      break;
    }
    case Stmt::Kind::Decl: {
      const auto &decl = llvm::cast<DeclStmt>(stmt);
      os << "declare " << decl.getName().text << ' ';
      dump(decl.getAnnotation());
      os << ' ';
      dump(decl.getValue());
      break;
    }
    case Stmt::Kind::If:
      os << "if";
      for (const IfStmt::Clause &clause : llvm::cast<IfStmt>(stmt).getClauses()) {
        os << ' ';
        dump(clause.condition);
        os << '\n';
        dump(clause.body);
      }
      if (llvm::cast<IfStmt>(stmt).hasElse()) {
        os << "else\n";
        dump(llvm::cast<IfStmt>(stmt).getElseBody());
      }
      break;
    case Stmt::Kind::For:
      list("for", {llvm::cast<ForStmt>(stmt).getTarget(), llvm::cast<ForStmt>(stmt).getIterable()});
      os << '\n';
      dump(llvm::cast<ForStmt>(stmt).getBody());
      break;
    case Stmt::Kind::Return:
      list("return", llvm::cast<ReturnStmt>(stmt).getValue());
      break;
    case Stmt::Kind::Pass:
      os << "pass";
      break;
    case Stmt::Kind::Assert:
      list("assert", {llvm::cast<AssertStmt>(stmt).getCondition(),
                      llvm::cast<AssertStmt>(stmt).getMessage()});
      break;
    case Stmt::Kind::Raise:
      list("raise",
           {llvm::cast<RaiseStmt>(stmt).getValue(), llvm::cast<RaiseStmt>(stmt).getCause()});
      break;
    case Stmt::Kind::Expr:
      list("do", llvm::cast<ExprStmt>(stmt).getExpr());
      break;
    case Stmt::Kind::Import:
      os << "import " << llvm::cast<ImportStmt>(stmt).getModule().text;
      for (const ImportStmt::Alias &alias : llvm::cast<ImportStmt>(stmt).getAliases())
        os << ' ' << alias.name.text << ':' << alias.asName.text;
      break;
    }
    os << ")\n";
  }

  llvm::raw_ostream &os;
};

} // namespace

Parsed::Parsed(std::string text, std::string name) : diagnostics(sources) {
  module = parse(sources.add(std::move(name), std::move(text)), context, diagnostics);
}

std::string Parsed::getErrors() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  diagnostics.printText(os);
  return text;
}

std::string Parsed::print() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  ast::print(*module, os);
  return text;
}

std::string Parsed::dump() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (const StringLiteral *docstring = module->getDocstring())
    os.write_escaped(docstring->getValue()) << '\n';
  Dumper(os).dump(module->getBody());
  return text;
}

std::string attnc::test::dumpExpr(llvm::StringRef text) {
  Parsed parsed(text.str());
  if (parsed.diagnostics.hasErrors())
    return parsed.getErrors();
  if (parsed.module->getBody().size() != 1 ||
      !llvm::isa<ExprStmt>(parsed.module->getBody().front()))
    return "not one expression: " + parsed.dump();
  std::string result;
  llvm::raw_string_ostream os(result);
  Dumper(os).dump(llvm::cast<ExprStmt>(parsed.module->getBody().front())->getExpr());
  return result;
}

std::vector<std::string> attnc::test::findVariants(llvm::StringRef path) {
  std::vector<std::string> files;
  std::error_code error;
  std::string root = (llvm::StringRef(ATTNC_SOURCE_DIR "/") + path).str();
  for (llvm::sys::fs::recursive_directory_iterator it(root, error), end; it != end && !error;
       it.increment(error))
    if (llvm::StringRef(it->path()).ends_with(".attn"))
      files.push_back(it->path());
  llvm::sort(files);
  return files;
}

std::string attnc::test::readFile(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}
