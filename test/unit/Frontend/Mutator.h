//===- Mutator.h - Programs changed at random ---------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef TEST_UNIT_FRONTEND_MUTATOR_H
#define TEST_UNIT_FRONTEND_MUTATOR_H

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace attnc::test {

/// Changes texts by what makes grammars stumble: cut, repeated and foreign pieces.
class Mutator {
public:
  explicit Mutator(const std::vector<std::string> &corpus) : corpus(corpus) {}

  std::string mutate(std::string text) {
    for (unsigned i = 0, count = 1 + pick(4); i < count; ++i)
      change(text);
    return text;
  }

private:
  size_t pick(size_t bound) { return bound == 0 ? 0 : random() % bound; }

  void change(std::string &text) {
    static const std::vector<std::string> pieces = {
        "(",        ")",       "[",      "]",      "{",      "}",
        ":",        ",",       ".",      "=",      "*",      "**",
        "-",        "not ",    "\n",     "\n  ",   "\t",     "\\\n",
        "\r",       "'",       "\"",     "'''",    "#",      "if ",
        "else",     "elif ",   "for ",   " in ",   "def ",   "class",
        "lambda",   "0x",      "1e",     "1_",     "99999",  "\xff",
        "\xc3",     "é",       "€",      "@",      "while",  "return",
        "None",     "import ", "from ",  "f\"{x}", "async",  ":=",
        "...",      "->",      "yield",  ";",      "\f",     "\xef\xbb\xbf",
        " // ",     " % ",     " << ",   " & ",    " == ",   " is ",
        " and ",    "~",       "inf",    "True",   "-1",     "0",
        "1.5",      "2**62",   "-2**63", "1e300",  "q_idx",  "KV",
        "D",        "i8",      "f16",    "bool",   "torch.", ".shape",
        ".float()", ".to(i8)", "range(", "where(", "int(",   "causal",
        "alibi",    "compose("};
    size_t begin = pick(text.size() + 1);
    size_t size = pick(std::min<size_t>(text.size() - begin, 30) + 1);
    switch (pick(6)) {
    case 0:
      text.erase(begin, size);
      break;
    case 1:
      text.insert(begin, pieces[pick(pieces.size())]);
      break;
    case 2:
      text.insert(begin, text.substr(begin, size));
      break;
    case 3:
      if (begin < text.size())
        text[begin] = static_cast<char>(pick(256));
      break;
    case 4: {
      const std::string &other = corpus[pick(corpus.size())];
      size_t from = pick(other.size() + 1);
      text.insert(begin, other.substr(from, pick(60)));
      break;
    }
    case 5:
      text.resize(begin);
      break;
    }
  }

  const std::vector<std::string> &corpus;
  std::mt19937 random{20240229};
};

} // namespace attnc::test

#endif // TEST_UNIT_FRONTEND_MUTATOR_H
