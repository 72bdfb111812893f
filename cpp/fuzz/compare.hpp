// All counters, kernels and count sources on one case against the naive counter.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "fuzz/case.hpp"

namespace dagwright::fuzz {

// How often each was compared: a fuzzer that skips one would never say.
using Tally = std::map<std::string, std::size_t>;

// What differs, by name; none if all agree to the last bit.
std::optional<std::string> find_difference(const Case& given, Tally& tally);

}  // namespace dagwright::fuzz
