//===- TokenMutator.h - Programs changed word by word -------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// Bytes changed at random nearly always end in the lexer or the parser. Words replaced by words of
// their kind, operands put into calls and lines moved leave many programs whole, so that the
// evaluator and the builder of the IR see something new.
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_FRONTEND_FUZZ_TOKENMUTATOR_H
#define COMPILER_FRONTEND_FUZZ_TOKENMUTATOR_H

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace attnc {

class TokenMutator {
public:
  explicit TokenMutator(uint32_t seed) : random(seed) {}

  /// `text`, of any bytes, with one to three changes.
  std::string mutate(std::string text);

private:
  enum class Kind { Space, Word, Number, Operator };

  /// A piece of the text.
  struct Token {
    Kind kind;
    size_t begin, size;
  };

  static std::vector<Token> split(const std::string &text);

  void changeToken(std::string &text);
  void changeLine(std::string &text);

  size_t pick(size_t bound) { return random() % bound; }
  std::string pick(const std::vector<std::string> &words) { return words[pick(words.size())]; }
  /// Something to stand where a value stands, made of `operand`.
  std::string makeExpression(const std::string &operand);

  std::mt19937 random;
};

} // namespace attnc

#endif // COMPILER_FRONTEND_FUZZ_TOKENMUTATOR_H
