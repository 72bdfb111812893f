// A fuzzer that needs no library: random cases until the time is up, each in a process that may die.
// On a difference, a crash or a report of a sanitizer it shrinks the case and prints it.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "dagwright/base/rng.hpp"
#include "fuzz/compare.hpp"

namespace {

using namespace dagwright::fuzz;
using Bytes = std::vector<std::uint8_t>;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostBytes = 1024;
constexpr unsigned kSecondsPerCase = 120;  // more is taken for a hang
constexpr int kDiffers = 10;

// The case that a worker is at, where its parent sees it.
struct Current {
  std::size_t number;
  std::size_t size;
  std::uint8_t bytes[kMostBytes];
};

// Few bytes mostly, and many that are small or equal: these are the choices of a case.
Bytes draw(std::uint64_t seed, std::uint64_t number) {
  dagwright::Rng rng(seed, number);
  Bytes bytes(1 + rng.below(rng.below(4) == 0 ? kMostBytes : 80));
  const std::uint64_t most = rng.below(3) == 0 ? 8 : 256;
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(rng.below(most));
  return bytes;
}

void print_tally(const Tally& tally) {
  for (const auto& [what, times] : tally) std::printf("  %10zu  %s\n", times, what.c_str());
}

// Compares case after case; ends the process with kDiffers, or dies, at the first that is wrong.
[[noreturn]] void work(std::uint64_t seed, double seconds, Current& current) {
  Tally tally;
  const auto begun = Clock::now();
  std::size_t number = 0;
  for (; Clock::now() - begun < std::chrono::duration<double>(seconds); ++number) {
    const Bytes bytes = draw(seed, number);
    current.number = number;
    current.size = bytes.size();
    std::memcpy(current.bytes, bytes.data(), bytes.size());
    alarm(kSecondsPerCase);
    if (find_difference(read_case(bytes), tally)) std::_Exit(kDiffers);
  }
  std::printf("%zu cases, no difference; compared with the naive counter:\n", number);
  print_tally(tally);
  std::fflush(stdout);
  std::_Exit(0);
}

template <class Fn>
int in_child(bool quiet, Fn&& fn) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    if (quiet && std::freopen("/dev/null", "w", stderr) == nullptr) std::_Exit(1);
    fn();
    std::_Exit(0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) {
    std::perror("fork");
    std::exit(2);
  }
  return status;
}

bool fails(const Bytes& bytes) {
  return in_child(true, [&] {
    Tally tally;
    alarm(kSecondsPerCase);
    if (find_difference(read_case(bytes), tally)) std::_Exit(kDiffers);
  }) != 0;
}

// Fewer bytes, then smaller ones, as long as that fails too.
Bytes shrink(Bytes bytes) {
  const auto until = Clock::now() + std::chrono::minutes(2);
  const auto accept = [&](const Bytes& smaller) {
    if (Clock::now() > until || !fails(smaller)) return false;
    bytes = smaller;
    return true;
  };
  bool changed = true;
  while (changed) {
    changed = false;
    for (std::size_t size = bytes.size(); size > 0; size /= 2) {
      for (std::size_t at = 0; at + size <= bytes.size();) {
        Bytes smaller = bytes;
        const auto from = smaller.begin() + static_cast<std::ptrdiff_t>(at);
        smaller.erase(from, from + static_cast<std::ptrdiff_t>(size));
        if (accept(smaller)) {
          changed = true;
        } else {
          at += size;
        }
      }
    }
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      for (const int value : {0, 1, bytes[at] / 2, bytes[at] - 1}) {
        if (value < 0 || value >= bytes[at]) continue;
        Bytes smaller = bytes;
        smaller[at] = static_cast<std::uint8_t>(value);
        if (accept(smaller)) {
          changed = true;
          break;
        }
      }
    }
  }
  return bytes;
}

std::string to_hex(const Bytes& bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text += "0123456789abcdef"[byte / 16];
    text += "0123456789abcdef"[byte % 16];
  }
  return text;
}

Bytes from_hex(std::string_view text) {
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

int replay(const Bytes& bytes) {
  const Case given = read_case(bytes);
  std::fputs(given.describe().c_str(), stdout);
  std::fflush(stdout);
  Tally tally;
  const auto difference = find_difference(given, tally);
  print_tally(tally);
  std::printf("%s\n", difference ? (*difference + " differs").c_str() : "no difference");
  std::fflush(stdout);
  return difference ? 1 : 0;
}

int fuzz(std::uint64_t seed, double seconds) {
  auto* current = static_cast<Current*>(mmap(nullptr, sizeof(Current), PROT_READ | PROT_WRITE,
                                             MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (current == MAP_FAILED) {
    std::perror("mmap");
    return 2;
  }
  std::printf("seed %llu, %g seconds\n", static_cast<unsigned long long>(seed), seconds);
  const int status = in_child(false, [&] { work(seed, seconds, *current); });
  if (status == 0) return 0;
  std::printf("case %zu of seed %llu fails; shrinking it\n", current->number,
              static_cast<unsigned long long>(seed));
  const Bytes smallest = shrink(Bytes(current->bytes, current->bytes + current->size));
  in_child(false, [&] { replay(smallest); });
  std::printf("seed %llu, case %zu; the smallest input that fails, to be seen again with\n"
              "  build/fuzz/fuzz_counters --input '%s'\n",
              static_cast<unsigned long long>(seed), current->number, to_hex(smallest).c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // what fails is seen while it is made smaller
  std::uint64_t seed = std::random_device()();
  double seconds = 60;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view option = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : nullptr;
    if (value != nullptr && option == "--input") return replay(from_hex(value));
    if (value != nullptr && option == "--seed") {
      seed = std::strtoull(value, nullptr, 10);
    } else if (value != nullptr && option == "--seconds") {
      seconds = std::strtod(value, nullptr);
    } else {
      std::fprintf(stderr, "usage: %s [--seed N] [--seconds S] [--input HEX]\n", argv[0]);
      return 2;
    }
  }
  return fuzz(seed, seconds);
}
