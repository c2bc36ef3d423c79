#include "autotune/protocol.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace flashwave {
namespace {

std::string text(double value) { return fmt::format("{:a}", value); }
double number(const std::string& field) { return std::strtod(field.c_str(), nullptr); }
int integer(const std::string& field) { return std::atoi(field.c_str()); }

Status malformed(std::string_view what) {
    return Status(Code::corrupt, fmt::format("the tuner's message '{}' is malformed", what));
}

}  // namespace

Fields encode(const TryRequest& request) {
    return {"try", to_json(request.key), to_json(request.candidate), request.entry, request.code};
}

Result<TryRequest> decode_try(const Fields& fields) {
    if (fields.size() != 5 || fields[0] != "try") return malformed("try");
    Result<ProblemKey> key = parse_json<ProblemKey>(fields[1]);
    if (!key.ok()) return key.status();
    Result<Candidate> candidate = parse_json<Candidate>(fields[2]);
    if (!candidate.ok()) return candidate.status();
    return TryRequest{*key, *candidate, fields[3], fields[4]};
}

Fields encode(const cache::Measurement& m) {
    return {"result",
            std::string(enum_name(m.outcome)),
            m.detail,
            m.modelled ? "1" : "0",
            std::to_string(m.repetitions),
            text(m.us_median),
            text(m.us_p20),
            text(m.us_p80),
            text(m.max_error),
            text(m.error_bound)};
}

Result<cache::Measurement> decode_measurement(const Fields& fields) {
    cache::Measurement m;
    if (fields.size() != 10 || fields[0] != "result" || !detail::assign_value(m.outcome, fields[1]).empty())
        return malformed("result");
    m.detail = fields[2];
    m.modelled = fields[3] == "1";
    m.repetitions = integer(fields[4]);
    m.us_median = number(fields[5]);
    m.us_p20 = number(fields[6]);
    m.us_p80 = number(fields[7]);
    m.max_error = number(fields[8]);
    m.error_bound = number(fields[9]);
    return m;
}

Fields encode_race(const std::vector<int>& contenders) {
    Fields fields{"race"};
    for (const int contender : contenders) fields.push_back(std::to_string(contender));
    return fields;
}

Result<std::vector<int>> decode_race(const Fields& fields) {
    if (fields.empty() || fields[0] != "race") return malformed("race");
    std::vector<int> contenders;
    for (std::size_t i = 1; i < fields.size(); ++i) contenders.push_back(integer(fields[i]));
    return contenders;
}

Fields encode(const std::vector<Times>& times) {
    Fields fields{"times"};
    for (const Times& one : times)
        for (std::string part : {std::to_string(one.repetitions), text(one.median), text(one.p20), text(one.p80)})
            fields.push_back(std::move(part));
    return fields;
}

Result<std::vector<Times>> decode_times(const Fields& fields) {
    if (fields.size() % 4 != 1 || fields[0] != "times") return malformed("times");
    std::vector<Times> times;
    for (std::size_t i = 1; i < fields.size(); i += 4)
        times.push_back({integer(fields[i]), number(fields[i + 1]), number(fields[i + 2]), number(fields[i + 3])});
    return times;
}

Fields encode_state(std::string_view state) { return {"state", std::string(state)}; }

}  // namespace flashwave
