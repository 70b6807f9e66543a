//===- ParserStatements.cpp - PTX function bodies, operands and constants ---===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Parser.h"
#include "runtime/emulator/ParserState.h"

#include <algorithm>

namespace attnc::emu {
namespace {

constexpr unsigned maximumDepth = 64;
constexpr size_t maximumRegisters = 1 << 20;

bool isIdentifierTail(std::string_view digits) {
  return !digits.empty() && digits.size() < 9 &&
         std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
}

int precedenceOf(const Token &token, const Token &ahead) {
  if (token.kind != TokenKind::Punctuation)
    return -1;
  bool isDouble = ahead.kind == TokenKind::Punctuation && ahead.punctuation == token.punctuation;
  switch (token.punctuation) {
  case '|':
    return 1;
  case '^':
    return 2;
  case '&':
    return 3;
  case '<':
  case '>':
    return isDouble ? 4 : -1;
  case '+':
  case '-':
    return 5;
  case '*':
  case '/':
    return 6;
  default:
    return -1;
  }
}

} // namespace

bool isSpecialRegister(std::string_view name) {
  constexpr std::string_view names[] = {"%tid",
                                        "%ntid",
                                        "%ctaid",
                                        "%nctaid",
                                        "%laneid",
                                        "%warpid",
                                        "%nwarpid",
                                        "%smid",
                                        "%nsmid",
                                        "%gridid",
                                        "%clock",
                                        "%clock_hi",
                                        "%clock64",
                                        "%globaltimer",
                                        "%globaltimer_lo",
                                        "%globaltimer_hi",
                                        "%lanemask_eq",
                                        "%lanemask_le",
                                        "%lanemask_lt",
                                        "%lanemask_ge",
                                        "%lanemask_gt",
                                        "%dynamic_smem_size",
                                        "%total_smem_size",
                                        "%aggr_smem_size",
                                        "%cluster_ctarank",
                                        "%cluster_nctarank",
                                        "%cluster_ctaid",
                                        "%cluster_nctaid",
                                        "%clusterid",
                                        "%nclusterid",
                                        "%is_explicit_cluster",
                                        "%current_graph_exec",
                                        "%reserved_smem_offset_begin",
                                        "%reserved_smem_offset_end",
                                        "%reserved_smem_offset_cap",
                                        "WARP_SZ"};
  size_t dot = name.find('.');
  std::string_view base = name.substr(0, dot);
  if (dot != std::string_view::npos) {
    std::string_view part = name.substr(dot);
    if (part != ".x" && part != ".y" && part != ".z" && part != ".w")
      return false;
  }
  return std::find(std::begin(names), std::end(names), base) != std::end(names) ||
         base.substr(0, 7) == "%envreg" ||
         (base.substr(0, 3) == "%pm" && base.size() > 3 && base[3] >= '0' && base[3] <= '7');
}

void ModuleParser::parseBody(Function &parsed) {
  function = &parsed;
  parsed.scopes.emplace_back();
  scope = 0;
  scopeDepth = 0;
  expect('{');
  while (true) {
    if (token.kind == TokenKind::End)
      failExpected("`}` at the end of function `" + parsed.name + "`");
    if (is('}')) {
      take();
      if (scopeDepth == 0)
        break;
      --scopeDepth;
      scope = parsed.scopes[scope].parent;
      continue;
    }
    if (accept('{')) {
      if (++scopeDepth > 1000)
        fail("scopes are nested too deeply");
      parsed.scopes.emplace_back();
      parsed.scopes.back().parent = scope;
      scope = static_cast<uint32_t>(parsed.scopes.size() - 1);
      continue;
    }
    try {
      parseStatement();
    } catch (const ParseError &error) {
      record(error);
      depth = 0;
      if (errors >= 20)
        throw ParseError{token.location, "too many errors"};
      while (token.kind != TokenKind::End && !is(';') && !is('}'))
        take();
      accept(';');
    }
  }
  function = nullptr;
}

void ModuleParser::parseStatement() {
  if (accept(';'))
    return;
  if (token.kind == TokenKind::Word && token.text[0] == '.') {
    if (!parseBodyDirective())
      fail("unknown directive `" + std::string(token.text.substr(0, 60)) + "`");
    return;
  }
  if (token.kind == TokenKind::Word && ahead.kind == TokenKind::Punctuation &&
      ahead.punctuation == ':')
    return parseLabel();
  parseInstruction();
}

bool ModuleParser::parseBodyDirective() {
  if (acceptWord(".reg")) {
    parseRegisters();
    return true;
  }
  if (acceptWord(".loc")) {
    parseLoc();
    return true;
  }
  if (acceptWord(".pragma")) {
    while (token.kind != TokenKind::End && !accept(';'))
      take();
    return true;
  }
  bool isExternal = acceptWord(".extern");
  Space space = Space::Generic;
  if (isWord(".shared"))
    space = Space::Shared;
  else if (isWord(".local"))
    space = Space::Local;
  else if (isWord(".param"))
    space = Space::Param;
  else if (isWord(".global"))
    space = Space::Global;
  else if (isWord(".const"))
    space = Space::Const;
  if (space == Space::Generic)
    return false;
  take();
  size_t first = function->variables.size();
  parseVariables(space, isExternal, function->variables);
  for (size_t i = first; i < function->variables.size(); ++i)
    function->scopes[scope].variables[function->variables[i].name] = static_cast<uint32_t>(i);
  return true;
}

void ModuleParser::parseRegisters() {
  if (isWord(".v2") || isWord(".v4"))
    fail("vector registers are not supported");
  if (token.kind != TokenKind::Word || token.text[0] != '.')
    failExpected("a register type");
  Type type = parseType(token.text.substr(1));
  if (type == Type::None || (type != Type::Pred && getTypeSize(type) == 0))
    fail("unknown register type `" + std::string(token.text.substr(0, 60)) + "`");
  take();
  do {
    std::string name = expectName("a register name");
    Scope &names = function->scopes[scope];
    uint32_t first = static_cast<uint32_t>(function->registers.size());
    if (accept('<')) {
      uint64_t count = expectInteger("a register count");
      if (count + function->registers.size() > maximumRegisters)
        fail("too many registers");
      expect('>');
      if (!names.ranges.try_emplace(name, first, static_cast<uint32_t>(count)).second)
        fail("registers `" + name + "` are declared twice");
      for (uint64_t i = 0; i < count; ++i)
        function->registers.push_back({name + std::to_string(i), type});
    } else {
      if (function->registers.size() >= maximumRegisters)
        fail("too many registers");
      if (!names.registers.try_emplace(name, first).second)
        fail("register `" + name + "` is declared twice");
      function->registers.push_back({name, type});
    }
  } while (accept(','));
  expect(';');
}

void ModuleParser::parseLabel() {
  std::string name(token.text);
  Location place = token.location;
  take();
  take();
  if (acceptWord(".branchtargets")) {
    std::vector<AstOperand> targets;
    do {
      targets.push_back(parseOperand());
    } while (accept(','));
    expect(';');
    function->scopes[scope].branchTargets[name] = std::move(targets);
    return;
  }
  if (isWord(".callprototype") || isWord(".calltargets")) {
    while (token.kind != TokenKind::End && !accept(';'))
      take();
    return;
  }
  auto number = static_cast<uint32_t>(function->body.size());
  if (!function->scopes[scope].labels.try_emplace(name, number).second)
    throw ParseError{place, "label `" + name + "` is defined twice"};
}

void ModuleParser::parseInstruction() {
  AstInstruction instruction;
  instruction.location = token.location;
  instruction.scope = scope;
  instruction.sourceFile = sourceFile;
  instruction.sourceLine = sourceLine;
  if (accept('@')) {
    instruction.guarded = true;
    instruction.guardNegated = accept('!');
    if (token.kind != TokenKind::Word)
      failExpected("a predicate register");
    if (!findRegister(token.text, instruction.guard))
      fail("undeclared register `" + std::string(token.text.substr(0, 60)) + "`");
    if (function->registers[instruction.guard].type != Type::Pred)
      fail("expected a predicate register, got `" + std::string(token.text.substr(0, 60)) + "`");
    take();
    instruction.location = token.location;
  }
  if (token.kind != TokenKind::Word || token.text[0] == '.' || token.text[0] == '%')
    failExpected("an instruction");
  instruction.opcode = token.text;
  take();
  if (!is(';')) {
    do {
      instruction.operands.push_back(parseOperand());
      if (instruction.operands.size() > 64)
        fail("too many operands");
    } while (accept(','));
  }
  if (!is(';'))
    failExpected("`;` or `,` after an operand");
  take();
  if (function->body.size() > (1u << 24))
    fail("function is too long");
  function->body.push_back(std::move(instruction));
}

bool ModuleParser::findRegister(std::string_view name, uint32_t &index) const {
  size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
    --digits;
  for (uint32_t current = scope;; current = function->scopes[current].parent) {
    const Scope &names = function->scopes[current];
    auto exact = names.registers.find(name);
    if (exact != names.registers.end()) {
      index = exact->second;
      return true;
    }
    for (size_t split = digits; split < name.size(); ++split) {
      std::string_view tail = name.substr(split);
      if (!isIdentifierTail(tail) || (tail.size() > 1 && tail[0] == '0'))
        continue;
      auto range = names.ranges.find(name.substr(0, split));
      if (range == names.ranges.end())
        continue;
      auto number = static_cast<uint32_t>(std::stoul(std::string(tail)));
      if (number < range->second.second) {
        index = range->second.first + number;
        return true;
      }
    }
    if (current == 0)
      return false;
  }
}

AstOperand ModuleParser::parseOperand() {
  AstOperand first = parseSimpleOperand();
  if (!is('|'))
    return first;
  take();
  AstOperand pair;
  pair.kind = AstOperand::Kind::Pair;
  pair.location = first.location;
  pair.parts.push_back(std::move(first));
  pair.parts.push_back(parseSimpleOperand());
  return pair;
}

AstOperand ModuleParser::parseGroup(char close, AstOperand::Kind kind) {
  AstOperand group;
  group.kind = kind;
  group.location = token.location;
  take();
  if (++depth > maximumDepth)
    fail("operands are nested too deeply");
  if (!is(close)) {
    do {
      group.parts.push_back(parseOperand());
      if (group.parts.size() > 256)
        fail("too many operands");
    } while (accept(','));
  }
  expect(close);
  --depth;
  return group;
}

AstOperand ModuleParser::parseAddress() {
  AstOperand address = parseGroup(']', AstOperand::Kind::Address);
  if (address.parts.empty())
    throw ParseError{address.location, "expected an address between `[` and `]`"};
  address.offset = address.parts[0].offset;
  return address;
}

AstOperand ModuleParser::parseSimpleOperand() {
  AstOperand operand;
  operand.location = token.location;
  operand.scope = scope;
  if (is('{'))
    return parseGroup('}', AstOperand::Kind::Vector);
  if (is('['))
    return parseAddress();
  if (is('(') && (ahead.kind == TokenKind::Word ||
                  (ahead.kind == TokenKind::Punctuation && ahead.punctuation == ')')))
    return parseGroup(')', AstOperand::Kind::List);
  if (accept('!')) {
    operand = parseName();
    operand.negated = true;
    return operand;
  }
  if (token.kind == TokenKind::Word)
    return parseName();
  bool isNegative =
      is('-') && (ahead.kind == TokenKind::Float32 || ahead.kind == TokenKind::Float64);
  if (isNegative)
    take();
  if (token.kind == TokenKind::Float32 || token.kind == TokenKind::Float64) {
    bool isSingle = token.kind == TokenKind::Float32;
    operand.kind = isSingle ? AstOperand::Kind::Float32 : AstOperand::Kind::Float64;
    operand.value = token.value ^ (isNegative ? (isSingle ? 1ull << 31 : 1ull << 63) : 0);
    take();
    return operand;
  }
  operand.kind = AstOperand::Kind::Integer;
  operand.value = static_cast<uint64_t>(parseConstant());
  return operand;
}

AstOperand ModuleParser::parseName() {
  AstOperand operand;
  operand.location = token.location;
  operand.scope = scope;
  if (token.kind != TokenKind::Word || token.text[0] == '.')
    failExpected("an operand");
  operand.name = token.text;
  if (token.text == "_")
    operand.kind = AstOperand::Kind::Sink;
  else if (findRegister(token.text, operand.index))
    operand.kind = AstOperand::Kind::Register;
  else if (isSpecialRegister(token.text))
    operand.kind = AstOperand::Kind::Special;
  else if (token.text[0] == '%')
    fail("undeclared register `" + std::string(token.text.substr(0, 60)) + "`");
  else
    operand.kind = AstOperand::Kind::Symbol;
  take();
  if (is('+') || is('-')) {
    bool isMinus = is('-');
    take();
    int64_t offset = parseConstant(6);
    operand.offset = isMinus ? static_cast<int64_t>(0 - static_cast<uint64_t>(offset)) : offset;
  }
  return operand;
}

int64_t ModuleParser::parseConstantPrimary() {
  if (++depth > maximumDepth)
    fail("expression is nested too deeply");
  uint64_t value = 0;
  if (accept('-'))
    value = 0 - static_cast<uint64_t>(parseConstantPrimary());
  else if (accept('+'))
    value = static_cast<uint64_t>(parseConstantPrimary());
  else if (accept('~'))
    value = ~static_cast<uint64_t>(parseConstantPrimary());
  else if (accept('!'))
    value = parseConstantPrimary() == 0;
  else if (accept('(')) {
    value = static_cast<uint64_t>(parseConstant());
    expect(')');
  } else if (acceptWord("WARP_SZ")) {
    value = 32;
  } else {
    value = expectInteger("an operand");
  }
  --depth;
  return static_cast<int64_t>(value);
}

int64_t ModuleParser::parseConstant(int minimumPrecedence) {
  auto left = static_cast<uint64_t>(parseConstantPrimary());
  while (true) {
    int precedence = precedenceOf(token, ahead);
    if (precedence < 0 || precedence < minimumPrecedence)
      return static_cast<int64_t>(left);
    char op = token.punctuation;
    take();
    if (op == '<' || op == '>')
      take();
    auto right = static_cast<uint64_t>(parseConstant(precedence + 1));
    switch (op) {
    case '|':
      left |= right;
      break;
    case '^':
      left ^= right;
      break;
    case '&':
      left &= right;
      break;
    case '<':
      left = right < 64 ? left << right : 0;
      break;
    case '>':
      left = right < 64 ? left >> right : 0;
      break;
    case '+':
      left += right;
      break;
    case '-':
      left -= right;
      break;
    case '*':
      left *= right;
      break;
    default:
      if (right == 0)
        fail("division by zero in a constant");
      left = static_cast<uint64_t>(static_cast<__int128>(static_cast<int64_t>(left)) /
                                   static_cast<int64_t>(right));
      break;
    }
  }
}

} // namespace attnc::emu
