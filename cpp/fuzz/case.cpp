#include "fuzz/case.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <sstream>

#include "dagwright/base/rng.hpp"
#include "dagwright/data/count_bitmap.hpp"
#include "dagwright/data/counters.hpp"
#include "fuzz/byte_reader.hpp"

namespace dagwright::fuzz {

namespace {

// Where one way of counting gives way to another: widths of codes, states with bitmaps.
constexpr Arity kArities[] = {2, 3, 1, 4, 5, 7, 15, 16, 17, 64, 255, 256, 257, 300, 4096, 65536};

// Words, steps of kernels, blocks of words, looks at the clock.
constexpr std::size_t kEdges[] = {64,   512,  2048, 64 * kBlockWords, 2 * 64 * kBlockWords,
                                  4096, 8192, 128,  kRowsPerLook};

// Rows times variables: more take too long with sanitizers.
constexpr std::size_t kMostCodes = 400'000;

std::size_t read_n_rows(ByteReader& in, std::size_t n_variables) {
  std::size_t n = 1;
  switch (in.below(8)) {
    case 0:
      n = in.one_of(kEdges) + in.below(3) - 1;
      break;
    case 1:
      n = 1 + in.below(3000);
      break;
    default:
      n = 1 + in.below(200);
  }
  return std::clamp<std::size_t>(n, 1, std::max<std::size_t>(kMostCodes / n_variables, 300));
}

std::size_t read_n_variables(ByteReader& in) {
  switch (in.below(8)) {
    case 0:
      return 21 + in.below(40);  // many parents
    case 1:
      return 1;
    default:
      return 2 + in.below(7);
  }
}

std::vector<std::uint16_t> read_codes(ByteReader& in, const Case& so_far, Arity arity,
                                      std::size_t n_rows) {
  std::vector<std::uint16_t> codes(n_rows, 0);
  const auto all = [&](auto&& state) {
    for (std::size_t row = 0; row < n_rows; ++row) {
      codes[row] = static_cast<std::uint16_t>(state(row) % arity);
    }
  };
  const std::uint8_t kind = in.byte() % 8;
  Rng rng(in.byte(), kind);
  switch (kind) {
    case 0:  // byte by byte, so that they shrink
      if (n_rows <= 100) all([&](std::size_t) { return in.below(arity); });
      break;
    case 1:
      all([&](std::size_t) { return rng.below(arity); });
      break;
    case 2:  // few states are common
      all([&](std::size_t) { return rng.below(1 + rng.below(1 + rng.below(arity))); });
      break;
    case 3:  // in runs
      all([&](std::size_t row) { return row * arity / n_rows; });
      break;
    case 4:
      all([](std::size_t row) { return row; });
      break;
    case 5:  // all but one row the same
      all([&](std::size_t) { return arity - 1; });
      codes[rng.below(n_rows)] = 0;
      break;
    case 6: {  // like another variable, mostly
      if (so_far.codes.empty()) break;
      const auto& other = so_far.codes[rng.below(so_far.codes.size())];
      all([&](std::size_t row) { return rng.below(20) == 0 ? rng.below(arity) : other[row]; });
      break;
    }
    default:  // the largest code only
      all([&](std::size_t) { return arity - 1; });
  }
  return codes;
}

std::vector<double> read_weights(ByteReader& in, std::size_t n_rows) {
  std::vector<double> weights(n_rows);
  const auto all = [&](auto&& weight) {
    for (double& w : weights) w = weight();
  };
  const std::uint8_t kind = in.byte() % 12;
  Rng rng(in.byte(), kind);
  const auto real = [&] { return std::ldexp(static_cast<double>(rng.below(1ULL << 53)), -53); };
  switch (kind) {
    case 0:
      all([&] { return static_cast<double>(rng.below(9)); });
      break;
    case 1:
      all([&] { return static_cast<double>(rng.below(50)) / 16; });
      break;
    case 2:
      all(real);
      break;
    case 3:
      all([&] { return static_cast<double>(rng.below(1'000'000)); });
      break;
    case 4:  // around the most that bit planes hold
      all([&] { return 65534.0 + static_cast<double>(rng.below(3)); });
      break;
    case 5:
      all([&] { return 4095.0 + static_cast<double>(rng.below(18)) / 16; });
      break;
    case 6:  // no two of one size
      all([&] { return std::ldexp(real(), static_cast<int>(rng.below(120)) - 60); });
      break;
    case 7:
      all([&] { return std::ldexp(real(), static_cast<int>(rng.below(1200)) - 1074); });
      break;
    case 8:  // almost none counts
      weights[rng.below(n_rows)] = 1 + static_cast<double>(rng.below(3)) / 2;
      break;
    case 9:  // too small for a normal number
      all([&] {
        return static_cast<double>(rng.below(5)) * std::numeric_limits<double>::denorm_min();
      });
      break;
    case 10:  // whole, beyond what a double adds exactly
      all([&] { return std::ldexp(1.0, static_cast<int>(rng.below(60))); });
      break;
    default:  // byte by byte
      all([&] { return in.byte() / 16.0; });
  }
  return weights;
}

}  // namespace

Case read_case(std::span<const std::uint8_t> bytes) {
  ByteReader in(bytes);
  Case out;
  const std::size_t n = read_n_variables(in);
  const std::size_t n_rows = read_n_rows(in, n);
  const bool small = in.below(4) != 0;  // else families soon have too many cells for most counters
  for (std::size_t v = 0; v < n; ++v) {
    const Arity arity = small ? static_cast<Arity>(2 + in.below(3)) : in.one_of(kArities);
    out.codes.push_back(read_codes(in, out, arity, n_rows));
    out.arities.push_back(arity);
  }
  if (in.below(2) == 1) out.weights = read_weights(in, n_rows);
  out.family.child = static_cast<Variable>(in.below(n));
  const std::uint64_t share = in.below(5);  // of the others that are parents
  for (Variable v = 0; v < n; ++v) {
    if (v == out.family.child) continue;
    auto& list = in.below(4) < share ? out.family.parents : out.candidates;
    list.push_back(v);
  }
  out.threads = static_cast<unsigned>(1 + in.below(3));
  out.cuts = {0, n_rows};
  for (std::uint64_t i = in.below(4); i > 0; --i) out.cuts.push_back(in.below(n_rows));
  std::sort(out.cuts.begin(), out.cuts.end());
  out.cuts.erase(std::unique(out.cuts.begin(), out.cuts.end()), out.cuts.end());
  return out;
}

Table Case::table(std::size_t begin, std::size_t end, std::vector<double> row_weights) const {
  struct Owner {
    std::vector<std::vector<std::uint8_t>> narrow;
    std::vector<std::vector<std::uint16_t>> wide;
  };
  auto owner = std::make_shared<Owner>();
  owner->narrow.resize(codes.size());
  owner->wide.resize(codes.size());
  std::vector<Codes> views(codes.size());
  for (std::size_t v = 0; v < codes.size(); ++v) {
    // Arrays of exactly these rows, so that the sanitizer sees who reads beyond them.
    if (arities[v] <= 256) {
      owner->narrow[v].assign(codes[v].begin() + begin, codes[v].begin() + end);
      views[v].narrow = owner->narrow[v].data();
    } else {
      owner->wide[v].assign(codes[v].begin() + begin, codes[v].begin() + end);
      views[v].wide = owner->wide[v].data();
    }
  }
  return Table(std::move(views), arities, end - begin, std::move(row_weights), std::move(owner));
}

std::string Case::describe() const {
  std::ostringstream out;
  const auto list = [&](const char* what, const auto& values, std::size_t most) {
    out << what << " [";
    for (std::size_t i = 0; i < std::min(values.size(), most); ++i) {
      out << (i ? ", " : "") << +values[i];
    }
    out << (values.size() > most ? ", ...]" : "]") << " (" << values.size() << ")\n";
  };
  out.precision(17);
  out << n_rows() << " rows, " << threads << " threads, child " << family.child << "\n";
  list("parents", family.parents, 80);
  list("candidates", candidates, 80);
  list("arities", arities, 80);
  list("cuts", cuts, 10);
  list("weights", weights, 40);
  for (std::size_t v = 0; v < codes.size(); ++v) {
    list(("codes of " + std::to_string(v)).c_str(), codes[v], 40);
  }
  return out.str();
}

}  // namespace dagwright::fuzz
