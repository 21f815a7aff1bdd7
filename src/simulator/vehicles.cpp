#include "simulator/vehicles.hpp"

#include <array>
#include <cstddef>
#include <string_view>

namespace vtmirror::simulator {
namespace {

// None of these makes and models exists.
constexpr std::array<std::string_view, 8> makes{"ALDERMOOR", "BRACKENRIDGE", "CORVANE", "DUNMERE",
                                                "ESKALON",   "FENWICK",      "GALDORA", "HEXHAM"};
constexpr std::array<std::string_view, 8> models{"HERON",    "PLOVER", "TARN",  "FELL 4X4",
                                                 "MERIDIAN", "OSTLER", "QUILL", "RIVET"};
constexpr std::array<std::string_view, 6> fuels{"Petrol", "Diesel", "Electric", "Hybrid Electric (Clean)",
                                                "Gas",    "Other"};
constexpr std::array<std::string_view, 8> colours{"Blue", "Grey", "Black", "White", "Red", "Silver", "Green", "Yellow"};
constexpr std::array<std::string_view, 6> remarks{"Nearside front tyre worn close to legal limit",
                                                  "Brake disc worn, pitted or scored",
                                                  "Oil leak, but not excessive",
                                                  "Offside rear position lamp not working",
                                                  "Suspension arm pin or bush worn",
                                                  "Washer provides insufficient washer liquid"};
constexpr std::array<std::string_view, 8> modifications{"CREATED", "UPDATED", "UPDATED", "UPDATED",
                                                        "UPDATED", "UPDATED", "UPDATED", "DELETED"};

template <std::size_t N>
std::string_view pick(const std::array<std::string_view, N>& words, Random& random) {
  return words[random.below(N)];
}

void append_padded(std::string& out, std::uint64_t number, std::size_t digits) {
  const std::string text = std::to_string(number);
  if (text.size() < digits) out.append(digits - text.size(), '0');
  out += text;
}

void append_letter(std::string& out, Random& random, std::uint64_t of) {
  out += static_cast<char>('A' + static_cast<char>(random.below(of)));
}

void append_day(std::string& out, std::uint64_t year, Random& random) {
  append_padded(out, year, 4);
  out += '-';
  append_padded(out, 1 + random.below(12), 2);
  out += '-';
  append_padded(out, 1 + random.below(28), 2);
}

void append_defect(std::string& out, Random& random) {
  out += R"({"type":"ADVISORY","dangerous":false,"text":")";
  out += pick(remarks, random);
  out += "\"}";
}

void append_test(std::string& out, std::uint64_t year, Random& random) {
  out += R"({"completedDate":")";
  append_day(out, year, random);
  out += R"(T09:00:00.000Z","testResult":")";
  out += random.below(4) == 0 ? "FAILED" : "PASSED";
  out += R"(","odometerValue":)";
  out += std::to_string(random.below(180'000));
  out += R"(,"odometerUnit":"MI","motTestNumber":")";
  append_padded(out, random.below(1'000'000'000'000U), 12);
  out += R"(","defects":[)";
  if (random.below(2) == 0) append_defect(out, random);
  out += "]}";
}

}  // namespace

void append_vehicle(std::string& out, Random& random, Records records) {
  const std::uint64_t year = 2004 + random.below(18);
  out += R"({"registration":")";
  append_letter(out, random, 4);
  out += 'V';
  append_padded(out, random.below(100), 2);
  out += "TM";
  append_letter(out, random, 26);
  out += R"(","firstUsedDate":")";
  append_day(out, year, random);
  out += R"(","make":")";
  out += pick(makes, random);
  out += R"(","model":")";
  out += pick(models, random);
  out += R"(","fuelType":")";
  out += pick(fuels, random);
  out += R"(","primaryColour":")";
  out += pick(colours, random);
  out += R"(","motTests":[)";
  append_test(out, year + 3, random);
  if (random.below(2) == 0) {
    out += ',';
    append_test(out, year + 4, random);
  }
  out += ']';
  if (records == Records::changes) {
    out += R"(,"modification":")";
    out += pick(modifications, random);
    out += '"';
  }
  out += "}\n";
}

}  // namespace vtmirror::simulator
