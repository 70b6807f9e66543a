//===- Parser.cpp - PTX files, declarations and directives ----------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Parser.h"
#include "runtime/emulator/ParserState.h"

#include <bit>
#include <cstring>

namespace attnc::emu {
namespace {

constexpr size_t maximumErrors = 20;
/// A module declares at most this much memory; guards against absurd sizes in broken text.
constexpr uint64_t maximumVariableBytes = uint64_t(1) << 30;

std::string describe(const Token &token) {
  if (token.kind == TokenKind::End)
    return "the end of the file";
  std::string text = "`";
  for (char c : token.text.substr(0, 60)) {
    constexpr const char *digits = "0123456789abcdef";
    auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f)
      text += c;
    else
      text += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
  }
  return text + "`";
}

Space parseSpaceDirective(std::string_view word) {
  if (word == ".global")
    return Space::Global;
  if (word == ".shared" || word == ".shared::cta")
    return Space::Shared;
  if (word == ".local")
    return Space::Local;
  if (word == ".param")
    return Space::Param;
  if (word == ".const")
    return Space::Const;
  return Space::Generic;
}

} // namespace

bool parseModule(std::string_view text, ModuleAst &module, std::vector<Diagnostic> &diagnostics) {
  for (size_t start = 0; start <= text.size();) {
    size_t end = std::min(text.find('\n', start), text.size());
    module.lines.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
  ModuleParser parser(text, module, diagnostics);
  return parser.parse();
}

void ModuleParser::failExpected(std::string_view what) {
  fail("expected " + std::string(what) + ", got " + describe(token));
}

void ModuleParser::record(const ParseError &error) {
  ++errors;
  diagnostics.push_back({error.location, error.message});
}

void ModuleParser::expect(char punctuation) {
  if (!is(punctuation))
    failExpected(std::string("`") + punctuation + "`");
  take();
}

std::string ModuleParser::expectName(std::string_view what) {
  if (token.kind != TokenKind::Word || token.text[0] == '.')
    failExpected(what);
  std::string name(token.text);
  take();
  return name;
}

uint64_t ModuleParser::expectInteger(std::string_view what) {
  if (token.kind != TokenKind::Integer)
    failExpected(what);
  uint64_t value = token.value;
  take();
  return value;
}

bool ModuleParser::parse() {
  while (token.kind != TokenKind::End && errors < maximumErrors) {
    try {
      parseTopLevel();
    } catch (const ParseError &error) {
      record(error);
      function = nullptr;
      skipStatement();
    }
  }
  return errors == 0;
}

/// After an error outside a body: goes to the next directive at the start of a declaration.
void ModuleParser::skipStatement() {
  unsigned nesting = 0;
  while (token.kind != TokenKind::End) {
    if (is('{'))
      ++nesting;
    if (is('}') && nesting > 0)
      --nesting;
    bool isEnd = nesting == 0 && (is(';') || is('}'));
    take();
    if (isEnd)
      return;
  }
}

void ModuleParser::parseVersion() {
  if (token.kind != TokenKind::Float64 && token.kind != TokenKind::Integer)
    failExpected("a version number");
  module.version = token.text;
  take();
}

void ModuleParser::parseFile() {
  uint64_t index = expectInteger("a file number");
  if (token.kind != TokenKind::String)
    failExpected("a file name in quotes");
  module.sourceFiles[static_cast<uint32_t>(index)] = std::string(token.text.substr(1));
  take();
  while (accept(','))
    expectInteger("a number");
}

void ModuleParser::parseLoc() {
  sourceFile = static_cast<uint32_t>(expectInteger("a file number"));
  sourceLine = static_cast<uint32_t>(expectInteger("a line number"));
  if (token.kind == TokenKind::Integer)
    take();
  while (accept(',')) { // function_name label {+ n}, inlined_at file line column
    while (token.kind != TokenKind::End && !is(',') && !is(';') && !is('}') &&
           token.location.line == ahead.location.line)
      take();
    if (!is(',') && !is(';') && !is('}'))
      take();
  }
}

void ModuleParser::skipSection() {
  while (token.kind != TokenKind::End && !is('{'))
    take();
  expect('{');
  for (unsigned nesting = 1; nesting > 0;) {
    if (token.kind == TokenKind::End)
      failExpected("`}` after a section");
    if (is('{'))
      ++nesting;
    if (is('}'))
      --nesting;
    take();
  }
}

void ModuleParser::parseTopLevel() {
  bool isExternal = false;
  while (isWord(".visible") || isWord(".extern") || isWord(".weak") || isWord(".common")) {
    isExternal |= isWord(".extern");
    take();
  }
  if (acceptWord(".version"))
    return parseVersion();
  if (acceptWord(".target")) {
    do {
      module.target += (module.target.empty() ? "" : ",") + expectName("a target name");
    } while (accept(','));
    return;
  }
  if (acceptWord(".address_size")) {
    module.addressSize = static_cast<unsigned>(expectInteger("an address size"));
    if (module.addressSize != 64)
      fail("expected address size 64, got " + std::to_string(module.addressSize));
    return;
  }
  if (acceptWord(".file"))
    return parseFile();
  if (acceptWord(".loc"))
    return parseLoc();
  if (acceptWord(".section"))
    return skipSection();
  if (acceptWord(".pragma") || acceptWord(".alias")) {
    while (token.kind != TokenKind::End && !accept(';'))
      take();
    return;
  }
  if (acceptWord(".entry"))
    return parseFunction(true);
  if (acceptWord(".func"))
    return parseFunction(false);
  if (accept(';'))
    return;
  if (token.kind == TokenKind::Word) {
    Space space = parseSpaceDirective(token.text);
    if (space != Space::Generic && space != Space::Param) {
      take();
      return parseVariables(space, isExternal, module.variables);
    }
  }
  failExpected("a directive");
}

std::array<uint64_t, 3> ModuleParser::parseTriple() {
  std::array<uint64_t, 3> values{1, 1, 1};
  for (size_t i = 0; i < 3; ++i) {
    values[i] = expectInteger("a number");
    if (!accept(','))
      break;
  }
  return values;
}

bool ModuleParser::parseFunctionDirective(Function &function) {
  if (acceptWord(".reqntid"))
    function.requiredThreads = parseTriple();
  else if (acceptWord(".maxntid"))
    function.maximumThreads = parseTriple();
  else if (acceptWord(".reqnctapercluster"))
    function.requiredCluster = parseTriple();
  else if (acceptWord(".minnctapersm") || acceptWord(".maxnctapersm") || acceptWord(".maxnreg") ||
           acceptWord(".maxclusterrank") || acceptWord(".abi_preserve") ||
           acceptWord(".abi_preserve_control"))
    expectInteger("a number");
  else if (acceptWord(".explicitcluster") || acceptWord(".blocksareclusters") ||
           acceptWord(".noreturn"))
    return true;
  else if (acceptWord(".unique") || acceptWord(".attribute"))
    while (token.kind != TokenKind::End && !accept(')'))
      take();
  else if (acceptWord(".pragma"))
    while (token.kind != TokenKind::End && !accept(';'))
      take();
  else
    return false;
  return true;
}

std::vector<Variable> ModuleParser::parseParameterList() {
  std::vector<Variable> parameters;
  expect('(');
  if (accept(')'))
    return parameters;
  do {
    parameters.push_back(parseParameter());
  } while (accept(','));
  expect(')');
  return parameters;
}

Variable ModuleParser::parseParameter() {
  Variable variable;
  variable.space = Space::Param;
  if (acceptWord(".reg")) {
    fail("parameters in registers are not supported");
  } else if (!acceptWord(".param")) {
    failExpected("`.param`");
  }
  parseDeclarator(variable);
  return variable;
}

/// `.align 8 .v2 .b32 .ptr .global .align 16 name[4][2]`, in PTX's order.
void ModuleParser::parseDeclarator(Variable &variable) {
  uint64_t vectorLength = 1;
  uint64_t alignment = 0;
  while (token.kind == TokenKind::Word && token.text[0] == '.') {
    std::string_view word = token.text.substr(1);
    if (word == "align") {
      take();
      alignment = expectInteger("an alignment");
      if (!std::has_single_bit(alignment) || alignment > 1024)
        fail("expected an alignment that is a power of two up to 1024, got " +
             std::to_string(alignment));
      continue;
    }
    if (word == "v2" || word == "v4" || word == "v8") {
      vectorLength = static_cast<uint64_t>(word[1] - '0');
    } else if (word == "ptr") {
      take();
      while (token.kind == TokenKind::Word && token.text[0] == '.') {
        if (acceptWord(".align"))
          expectInteger("an alignment");
        else
          take();
      }
      continue;
    } else if (word == "attribute") {
      while (token.kind != TokenKind::End && !is(')'))
        take();
    } else if (word == "managed" || word == "visible") {
    } else {
      Type type = parseType(word);
      if (type == Type::None || getTypeSize(type) == 0)
        fail("unknown type `." + std::string(word.substr(0, 60)) + "` of a variable");
      variable.type = type;
    }
    take();
  }
  if (variable.type == Type::None)
    failExpected("a type");
  variable.location = token.location;
  variable.name = expectName("a variable name");
  uint64_t elementSize = getTypeSize(variable.type) * vectorLength;
  variable.alignment = static_cast<uint32_t>(alignment ? alignment : elementSize);
  variable.size = elementSize;
  if (accept('<')) {
    fail("numbered variables are not supported");
  }
  bool isFirst = true;
  while (accept('[')) {
    if (accept(']')) {
      if (!isFirst)
        fail("expected a size in the inner dimension");
      variable.size = 0;
    } else {
      int64_t count = parseConstant();
      if (count < 0 || static_cast<uint64_t>(count) > maximumVariableBytes)
        fail("array size " + std::to_string(count) + " is out of range");
      variable.size *= static_cast<uint64_t>(count);
      expect(']');
    }
    if (variable.size > maximumVariableBytes)
      fail("variable `" + variable.name + "` is larger than 1 GiB");
    isFirst = false;
  }
  variableBytes += variable.size;
  if (variableBytes > maximumVariableBytes)
    fail("the variables of the module are larger than 1 GiB");
}

void ModuleParser::parseVariables(Space space, bool isExternal, std::vector<Variable> &out) {
  Variable first;
  first.space = space;
  parseDeclarator(first);
  first.isExternal = isExternal && first.size == 0;
  if (accept('='))
    parseInitializer(first);
  Variable pattern = first;
  out.push_back(std::move(first));
  while (accept(',')) {
    Variable variable;
    variable.space = space;
    variable.type = pattern.type;
    variable.size = getTypeSize(pattern.type);
    variable.alignment = pattern.alignment;
    variable.location = token.location;
    variable.name = expectName("a variable name");
    out.push_back(std::move(variable));
  }
  expect(';');
}

void ModuleParser::parseInitializer(Variable &variable) {
  uint64_t offset = 0;
  bool isUnsized = variable.size == 0;
  if (is('{')) {
    unsigned nesting = 0;
    do {
      if (accept('{'))
        ++nesting;
      else if (accept('}'))
        --nesting;
      else if (!accept(','))
        parseInitializerValue(variable, offset);
    } while (nesting > 0);
  } else {
    parseInitializerValue(variable, offset);
  }
  if (isUnsized)
    variable.size = offset;
  if (offset > variable.size)
    fail("initializer of `" + variable.name + "` has " + std::to_string(offset) +
         " bytes, the variable " + std::to_string(variable.size));
}

void ModuleParser::parseInitializerValue(Variable &variable, uint64_t &offset) {
  unsigned size = getTypeSize(variable.type);
  uint64_t value = 0;
  if (token.kind == TokenKind::Word) {
    std::string name(token.text);
    take();
    bool isGeneric = name == "generic" && accept('(');
    if (isGeneric)
      name = expectName("a variable name");
    int64_t addend = 0;
    if (accept('+'))
      addend = parseConstant();
    if (isGeneric)
      expect(')');
    variable.relocations.push_back({offset, name, addend});
  } else if (token.kind == TokenKind::Float32 || token.kind == TokenKind::Float64) {
    double number = token.kind == TokenKind::Float64
                        ? std::bit_cast<double>(token.value)
                        : std::bit_cast<float>(static_cast<uint32_t>(token.value));
    if (token.kind == TokenKind::Float32 && size == 4)
      value = token.value;
    else if (size == 4)
      value = std::bit_cast<uint32_t>(static_cast<float>(number));
    else
      value = std::bit_cast<uint64_t>(number);
    take();
  } else {
    value = static_cast<uint64_t>(parseConstant());
  }
  if (offset + size > maximumVariableBytes)
    fail("initializer is too long");
  if (variable.initializer.size() < offset + size)
    variable.initializer.resize(offset + size);
  for (unsigned i = 0; i < size && i < 8; ++i)
    variable.initializer[offset + i] = static_cast<uint8_t>(value >> (8 * i));
  offset += size;
}

void ModuleParser::parseFunction(bool isEntry) {
  Function parsed;
  parsed.isEntry = isEntry;
  while (parseFunctionDirective(parsed)) {
  }
  if (!isEntry && is('('))
    parsed.results = parseParameterList();
  parsed.location = token.location;
  parsed.name = expectName("a function name");
  if (is('('))
    parsed.parameters = parseParameterList();
  while (parseFunctionDirective(parsed)) {
  }
  if (is('{')) {
    parsed.hasBody = true;
    parseBody(parsed);
  } else {
    expect(';');
  }
  for (Function &existing : module.functions) {
    if (existing.name != parsed.name)
      continue;
    if (existing.hasBody && parsed.hasBody)
      throw ParseError{parsed.location, "function `" + parsed.name + "` is defined twice"};
    if (parsed.hasBody)
      existing = std::move(parsed);
    return;
  }
  module.functions.push_back(std::move(parsed));
}

} // namespace attnc::emu
