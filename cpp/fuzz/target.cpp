// What libFuzzer calls, if it is there; else main.cpp does.
#include <cstdio>

#include "fuzz/compare.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dagwright::fuzz;
  static Tally tally;
  const Case given = read_case({data, size});
  if (const auto difference = find_difference(given, tally)) {
    std::fprintf(stderr, "%s differs from the naive counter:\n%s", difference->c_str(),
                 given.describe().c_str());
    __builtin_trap();
  }
  return 0;
}
