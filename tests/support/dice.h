// Choices of random tests, repeatable by their seed.
#pragma once

#include <iterator>
#include <random>

namespace pfetch::test {

class Dice {
 public:
  explicit Dice(unsigned seed) : random_(seed) {}
  bool one_in(unsigned n) { return random_() % n == 0; }
  template <typename List>
  auto pick(const List& list) {
    return list[random_() % std::size(list)];
  }

 protected:
  std::mt19937 random_;
};

}  // namespace pfetch::test
