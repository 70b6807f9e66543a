//===- ASTPrinter.cpp - The syntax tree as text ---------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/ASTPrinter.h"
#include "compiler/Frontend/Literals.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include <charconv>
#include <cmath>

using namespace attnc;
using namespace attnc::ast;

namespace {

/// How tight an expression holds together; an operand that holds looser than its place demands gets
/// parentheses.
enum Precedence : unsigned {
  Loose, // a lambda, a conditional
  Or,
  And,
  Not,
  Comparison,
  BitOr,
  BitXor,
  BitAnd,
  Shift,
  Sum,
  Product,
  Sign,
  Power,
  Postfix,
};

Precedence getPrecedence(BinaryOp op) {
  switch (op) {
  case BinaryOp::BitOr:
    return BitOr;
  case BinaryOp::BitXor:
    return BitXor;
  case BinaryOp::BitAnd:
    return BitAnd;
  case BinaryOp::ShiftLeft:
  case BinaryOp::ShiftRight:
    return Shift;
  case BinaryOp::Add:
  case BinaryOp::Sub:
    return Sum;
  case BinaryOp::Mul:
  case BinaryOp::Div:
  case BinaryOp::FloorDiv:
  case BinaryOp::Mod:
  case BinaryOp::MatMul:
    return Product;
  case BinaryOp::Pow:
    return Power;
  }
  return Postfix;
}

Precedence getPrecedence(const Expr &expr) {
  switch (expr.getKind()) {
  case Expr::Kind::Lambda:
  case Expr::Kind::Conditional:
    return Loose;
  case Expr::Kind::Bool:
    return llvm::cast<BoolExpr>(expr).getOp() == BoolOp::Or ? Or : And;
  case Expr::Kind::Compare:
    return Comparison;
  case Expr::Kind::Unary:
    return llvm::cast<UnaryExpr>(expr).getOp() == UnaryOp::Not ? Not : Sign;
  case Expr::Kind::Binary:
    return getPrecedence(llvm::cast<BinaryExpr>(expr).getOp());
  default:
    return Postfix;
  }
}

Precedence tighter(Precedence precedence) { return static_cast<Precedence>(precedence + 1); }

class Printer {
public:
  explicit Printer(llvm::raw_ostream &os) : os(os) {}

  void printModule(const Module &module) {
    if (const StringLiteral *docstring = module.getDocstring()) {
      printString(*docstring);
      os << '\n';
    }
    printStatements(module.getBody());
  }

  /// Prints `expr` where `minimum` is demanded.
  void printExpr(const Expr &expr, Precedence minimum = Loose) {
    bool hasParens = getPrecedence(expr) < minimum;
    if (hasParens)
      os << '(';
    printBare(expr);
    if (hasParens)
      os << ')';
  }

private:
  //===----------------------------------------------------------------------===//
  // Expressions
  //===----------------------------------------------------------------------===//

  void printBare(const Expr &expr) {
    switch (expr.getKind()) {
    case Expr::Kind::IntLiteral:
      os << llvm::cast<IntLiteral>(expr).getUnsignedValue();
      return;
    case Expr::Kind::FloatLiteral:
      return printFloat(llvm::cast<FloatLiteral>(expr).getValue());
    case Expr::Kind::BoolLiteral:
      os << (llvm::cast<BoolLiteral>(expr).getValue() ? "True" : "False");
      return;
    case Expr::Kind::NoneLiteral:
      os << "None";
      return;
    case Expr::Kind::EllipsisLiteral:
      os << "...";
      return;
    case Expr::Kind::StringLiteral:
      return printString(llvm::cast<StringLiteral>(expr));
    case Expr::Kind::Name:
      os << llvm::cast<NameExpr>(expr).getName();
      return;
    case Expr::Kind::Tuple: {
      llvm::ArrayRef<const Expr *> elements = llvm::cast<TupleExpr>(expr).getElements();
      os << '(';
      printExprs(elements);
      os << (elements.size() == 1 ? ",)" : ")");
      return;
    }
    case Expr::Kind::List:
      os << '[';
      printExprs(llvm::cast<ListExpr>(expr).getElements());
      os << ']';
      return;
    case Expr::Kind::Unary:
      return printUnary(llvm::cast<UnaryExpr>(expr));
    case Expr::Kind::Binary:
      return printBinary(llvm::cast<BinaryExpr>(expr));
    case Expr::Kind::Bool: {
      const auto &boolean = llvm::cast<BoolExpr>(expr);
      Precedence operand = tighter(getPrecedence(expr));
      llvm::interleave(
          boolean.getOperands(), [&](const Expr *each) { printExpr(*each, operand); },
          [&] { os << ' ' << getSpelling(boolean.getOp()) << ' '; });
      return;
    }
    case Expr::Kind::Compare: {
      const auto &compare = llvm::cast<CompareExpr>(expr);
      printExpr(*compare.getOperands().front(), tighter(Comparison));
      for (auto [op, operand] : llvm::zip(compare.getOps(), compare.getOperands().drop_front())) {
        os << ' ' << getSpelling(op.op) << ' ';
        printExpr(*operand, tighter(Comparison));
      }
      return;
    }
    case Expr::Kind::Conditional: {
      const auto &conditional = llvm::cast<ConditionalExpr>(expr);
      printExpr(*conditional.getTrueValue(), Or);
      os << " if ";
      printExpr(*conditional.getCondition(), Or);
      os << " else ";
      printExpr(*conditional.getFalseValue());
      return;
    }
    case Expr::Kind::Call: {
      const auto &call = llvm::cast<CallExpr>(expr);
      printExpr(*call.getCallee(), Postfix);
      os << '(';
      llvm::interleaveComma(call.getArguments(), os,
                            [&](const Argument &argument) { printArgument(argument); });
      os << ')';
      return;
    }
    case Expr::Kind::Subscript: {
      const auto &subscript = llvm::cast<SubscriptExpr>(expr);
      printExpr(*subscript.getBase(), Postfix);
      os << '[';
      printExprs(subscript.getIndices());
      os << ']';
      return;
    }
    case Expr::Kind::Slice:
      return printSlice(llvm::cast<SliceExpr>(expr));
    case Expr::Kind::Attribute: {
      const auto &attribute = llvm::cast<AttributeExpr>(expr);
      // A period directly behind an integer would belong to the number.
      bool isInteger = llvm::isa<IntLiteral>(attribute.getBase());
      os << (isInteger ? "(" : "");
      printExpr(*attribute.getBase(), Postfix);
      os << (isInteger ? ")." : ".") << attribute.getName().text;
      return;
    }
    case Expr::Kind::Lambda: {
      const auto &lambda = llvm::cast<LambdaExpr>(expr);
      os << "lambda";
      if (!lambda.getParams().empty())
        os << ' ';
      printParams(lambda.getParams());
      os << ": ";
      printExpr(*lambda.getBody());
      return;
    }
    case Expr::Kind::Comprehension:
      return printComprehension(llvm::cast<ComprehensionExpr>(expr));
    }
  }

  void printComprehension(const ComprehensionExpr &comprehension) {
    os << (comprehension.isList() ? '[' : '(');
    printExpr(*comprehension.getElement());
    for (const ComprehensionExpr::Clause &clause : comprehension.getClauses()) {
      os << " for ";
      printExpr(*clause.target);
      os << " in ";
      printExpr(*clause.iterable, Or);
      for (const Expr *condition : clause.conditions) {
        os << " if ";
        printExpr(*condition, Or);
      }
    }
    os << (comprehension.isList() ? ']' : ')');
  }

  void printExprs(llvm::ArrayRef<const Expr *> exprs) {
    llvm::interleaveComma(exprs, os, [&](const Expr *expr) { printExpr(*expr); });
  }

  void printFloat(double value) {
    // The literal that stands for infinity is one beyond the largest double.
    if (std::isinf(value)) {
      os << "1e999";
      return;
    }
    char buffer[32];
    auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value);
    llvm::StringRef text(buffer, end - buffer);
    os << text << (text.find_first_of(".e") == text.npos ? ".0" : "");
  }

  void printString(const StringLiteral &literal) {
    os << quote(literal.getValue(), literal.isFormat());
  }

  void printUnary(const UnaryExpr &unary) {
    os << getSpelling(unary.getOp());
    bool isNot = unary.getOp() == UnaryOp::Not;
    os << (isNot ? " " : "");
    printExpr(*unary.getOperand(), isNot ? Not : Sign);
  }

  void printBinary(const BinaryExpr &binary) {
    Precedence precedence = getPrecedence(binary);
    bool isPower = binary.getOp() == BinaryOp::Pow;
    printExpr(*binary.getLHS(), isPower ? Postfix : precedence);
    os << ' ' << getSpelling(binary.getOp()) << ' ';
    printExpr(*binary.getRHS(), isPower ? Sign : tighter(precedence));
  }

  void printSlice(const SliceExpr &slice) {
    if (slice.getLower())
      printExpr(*slice.getLower());
    os << ':';
    if (slice.getUpper())
      printExpr(*slice.getUpper());
    if (slice.getStep()) {
      os << ':';
      printExpr(*slice.getStep());
    }
  }

  void printArgument(const Argument &argument) {
    switch (argument.kind) {
    case Argument::Kind::Positional:
      break;
    case Argument::Kind::Keyword:
      os << argument.keyword.text << '=';
      break;
    case Argument::Kind::Star:
      os << '*';
      break;
    case Argument::Kind::DoubleStar:
      os << "**";
      break;
    }
    printExpr(*argument.value);
  }

  void printParams(llvm::ArrayRef<Param> params) {
    bool afterStar = false;
    for (const auto &[i, param] : llvm::enumerate(params)) {
      os << (i == 0 ? "" : ", ");
      if (param.kind == Param::Kind::VarArgs)
        os << '*';
      else if (param.kind == Param::Kind::KeywordOnly && !afterStar)
        os << "*, ";
      afterStar |= param.kind == Param::Kind::VarArgs || param.kind == Param::Kind::KeywordOnly;
      os << param.name.text;
      if (param.annotation) {
        os << ": ";
        printExpr(*param.annotation);
      }
      if (param.defaultValue) {
        os << (param.annotation ? " = " : "=");
        printExpr(*param.defaultValue);
      }
      bool isLast = i + 1 == params.size();
      if (param.kind == Param::Kind::PositionalOnly &&
          (isLast || params[i + 1].kind != Param::Kind::PositionalOnly))
        os << ", /";
    }
  }

  //===----------------------------------------------------------------------===//
  // Statements
  //===----------------------------------------------------------------------===//

  llvm::raw_ostream &startLine() { return os.indent(4 * indent); }

  void printBlock(Block block, const StringLiteral *docstring = nullptr) {
    os << ":\n";
    ++indent;
    if (docstring) {
      startLine();
      printString(*docstring);
      os << '\n';
    }
    printStatements(block);
    if (block.empty() && !docstring)
      startLine() << "pass\n";
    --indent;
  }

  void printStatements(Block block) {
    for (const auto &[i, stmt] : llvm::enumerate(block)) {
      if (i != 0 && indent == 0 &&
          (llvm::isa<FunctionDefStmt>(stmt) || llvm::isa<FunctionDefStmt>(block[i - 1])))
        os << '\n';
      printStatement(*stmt);
    }
  }

  void printStatement(const Stmt &stmt) {
    startLine();
    switch (stmt.getKind()) {
    case Stmt::Kind::FunctionDef:
      return printFunctionDef(llvm::cast<FunctionDefStmt>(stmt));
    case Stmt::Kind::If:
      return printIf(llvm::cast<IfStmt>(stmt));
    case Stmt::Kind::For: {
      const auto &loop = llvm::cast<ForStmt>(stmt);
      os << "for ";
      printExpr(*loop.getTarget());
      os << " in ";
      printExpr(*loop.getIterable());
      return printBlock(loop.getBody());
    }
    case Stmt::Kind::Assign: {
      const auto &assign = llvm::cast<AssignStmt>(stmt);
      for (const Expr *target : assign.getTargets()) {
        printExpr(*target);
        os << " = ";
      }
      printExpr(*assign.getValue());
      break;
    }
    case Stmt::Kind::AugAssign: {
      const auto &assign = llvm::cast<AugAssignStmt>(stmt);
      os << assign.getTarget()->getName() << ' ' << getSpelling(assign.getOp()) << "= ";
      printExpr(*assign.getValue());
      break;
    }
    case Stmt::Kind::Decl: {
      const auto &decl = llvm::cast<DeclStmt>(stmt);
      os << decl.getName().text << ": ";
      printExpr(*decl.getAnnotation());
      printOptional(" = ", decl.getValue());
      break;
    }
    case Stmt::Kind::Return:
      os << "return";
      printOptional(" ", llvm::cast<ReturnStmt>(stmt).getValue());
      break;
    case Stmt::Kind::Pass:
      os << "pass";
      break;
    case Stmt::Kind::Assert:
      os << "assert ";
      printExpr(*llvm::cast<AssertStmt>(stmt).getCondition());
      printOptional(", ", llvm::cast<AssertStmt>(stmt).getMessage());
      break;
    case Stmt::Kind::Raise:
      os << "raise";
      printOptional(" ", llvm::cast<RaiseStmt>(stmt).getValue());
      printOptional(" from ", llvm::cast<RaiseStmt>(stmt).getCause());
      break;
    case Stmt::Kind::Expr:
      printExpr(*llvm::cast<ExprStmt>(stmt).getExpr());
      break;
    case Stmt::Kind::Import:
      printImport(llvm::cast<ImportStmt>(stmt));
      break;
    }
    os << '\n';
  }

  void printOptional(llvm::StringRef prefix, const Expr *expr) {
    if (!expr)
      return;
    os << prefix;
    printExpr(*expr);
  }

  void printFunctionDef(const FunctionDefStmt &function) {
    os << "def " << function.getName().text << '(';
    printParams(function.getParams());
    os << ')';
    printOptional(" -> ", function.getReturnAnnotation());
    printBlock(function.getBody(), function.getDocstring());
  }

  void printIf(const IfStmt &stmt) {
    for (const auto &[i, clause] : llvm::enumerate(stmt.getClauses())) {
      if (i != 0)
        startLine();
      os << (i == 0 ? "if " : "elif ");
      printExpr(*clause.condition);
      printBlock(clause.body);
    }
    if (stmt.hasElse()) {
      startLine() << "else";
      printBlock(stmt.getElseBody());
    }
  }

  void printImport(const ImportStmt &import) {
    if (import.isFrom())
      os << "from " << import.getModule().text << ' ';
    os << "import ";
    llvm::interleaveComma(import.getAliases(), os, [&](const ImportStmt::Alias &alias) {
      os << alias.name.text;
      if (!alias.asName.text.empty())
        os << " as " << alias.asName.text;
    });
  }

  llvm::raw_ostream &os;
  unsigned indent = 0;
};

} // namespace

void attnc::ast::print(const Module &module, llvm::raw_ostream &os) {
  Printer(os).printModule(module);
}

void attnc::ast::print(const Expr &expr, llvm::raw_ostream &os) { Printer(os).printExpr(expr); }
