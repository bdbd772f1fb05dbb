// Contents, attributes and settings that conversions are tried on, in both directions.
#pragma once

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "checkout/filter.h"

namespace pfetch::test {

// Of a path that has these states, as a line of an attributes file says them.
inline checkout::Attributes attributes_of(const std::string& states) {
  using namespace checkout;
  return AttributeStack::root({{}, parse_attribute_file("* " + states, "x", true, nullptr), nullptr, false})
      ->query("f");
}

inline std::string printable_then(std::size_t printable, const std::string& rest) {
  return std::string(printable, 'p') + rest;
}

inline std::vector<std::string> conversion_contents() {
  using namespace std::string_literals;
  std::vector<std::string> all = {
      "", "a", "\n", "a\n", "a\nb\n", "a\r\nb\r\n", "a\nb\r\n", "a\r\nb\n", "a\rb\n", "a\r", "\r\n", "\r\r\n",
      "a\n\r\n", "a\0b\n"s, "\xff\xfe\n", "a\x7f\n", "\b\t\033\f\n", "a\x01\n", "\n\x1a", "a\n\x1a\x1a", "a\x1a\n",
      // the ratio of printable to other bytes
      printable_then(127, "\x01\n"), printable_then(128, "\x01\n"), printable_then(255, "\x01\x02\n"),
      printable_then(256, "\x01\x02\n"), printable_then(127, "\n\x1a"), printable_then(127, "\x7f\n\x1a"),
      // idents
      "$Id$", "$Id$\n", "a $Id$ b $Id$\n", "$Id: $", "$Id:$", "$Id: 12 $\n", "$Id: 1 2 $\n", "$Id: a b$\n", "$Id:  $",
      "$Id: a $\r\n", "$Id:\n$Id$\n", "$Id: x", "$Id", "$I", "$", "$$Id$$", "$Id: a\n$", "$id$", "$Idx$", "$Id:a b$",
      "$Id: ab$Id$", "$Id:a$\n", "$Id: a b $Id$ $Id: c $\n", "$Id: a  $", "$Id$Id$", "$Id: $Id$", "x$Id$\0\n"s,
      "$Id$\n$Id$\r\n", "$Id: a b", "$Id$ $Id: x", "$Id:  a$", "$Id: " + std::string(300, 'h') + " $", "$Id:\t\t$",
      "$Id::$"};
  std::string lines;
  for (int i = 0; i < 3000; ++i) lines += "line " + std::to_string(i) + "\n";
  all.push_back(lines);
  all.push_back(lines + "\r");
  std::mt19937 random(11);
  const std::vector<std::string> pieces = {"$", "Id", ":", " ", "\n", "\r\n", "x", "$Id$", "$Id: ", " $", "\r", "Id:"};
  for (int i = 0; i < 60; ++i) {
    std::string text;
    for (unsigned n = static_cast<unsigned>(random() % 14); n > 0; --n) text += pieces[random() % pieces.size()];
    all.push_back(text);
  }
  return all;
}

// The filter `cleaner` is for tests to configure.
inline const std::vector<std::string> conversion_states = {"unrelated",
                                                           "text",
                                                           "-text",
                                                           "text=auto",
                                                           "text=x",
                                                           "text=input",
                                                           "eol=lf",
                                                           "eol=crlf",
                                                           "eol=x",
                                                           "text eol=lf",
                                                           "text eol=crlf",
                                                           "text=auto eol=lf",
                                                           "text=auto eol=crlf",
                                                           "-text eol=crlf",
                                                           "text=input eol=crlf",
                                                           "crlf",
                                                           "-crlf",
                                                           "crlf=input",
                                                           "crlf=auto",
                                                           "crlf=x",
                                                           "text=auto -crlf",
                                                           "text=x crlf",
                                                           "crlf eol=lf",
                                                           "-crlf eol=crlf",
                                                           "binary",
                                                           "ident",
                                                           "-ident",
                                                           "ident=x",
                                                           "ident text",
                                                           "ident text=auto",
                                                           "ident eol=crlf",
                                                           "ident text=auto eol=crlf",
                                                           "filter=none",
                                                           "filter=cleaner eol=crlf",
                                                           "-working-tree-encoding",
                                                           "working-tree-encoding=utf8 text=auto",
                                                           "working-tree-encoding=UTF-8 eol=crlf",
                                                           "working-tree-encoding= ident",
                                                           "text eol=native",
                                                           "crlf=input eol=crlf",
                                                           "text=auto ident=x",
                                                           "eol text"};

struct ConvertSetting {
  std::string auto_crlf;
  std::string eol;
  checkout::ConvertConfig config;

  // For git.
  std::vector<std::string> options() const { return {"-c", "core.autocrlf=" + auto_crlf, "-c", "core.eol=" + eol}; }
};

inline std::vector<ConvertSetting> convert_settings() {
  using AutoCrlf = checkout::ConvertConfig::AutoCrlf;
  using Eol = checkout::ConvertConfig::Eol;
  std::vector<ConvertSetting> all;
  for (const auto& [auto_text, auto_crlf] :
       {std::pair{"false", AutoCrlf::off}, std::pair{"true", AutoCrlf::on}, std::pair{"input", AutoCrlf::input}}) {
    for (const auto& [eol_text, eol] :
         {std::pair{"native", Eol::native}, std::pair{"lf", Eol::lf}, std::pair{"crlf", Eol::crlf}}) {
      all.push_back({auto_text, eol_text, {auto_crlf, eol}});
    }
  }
  return all;
}

}  // namespace pfetch::test
