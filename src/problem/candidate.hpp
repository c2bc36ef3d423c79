// Candidate: a geometry of the forward kernel, which changes only the speed. Its fields are the macros of
// kernels_src/config.h. A value; the text forms are part of the stored format.
#pragma once

#include <string>
#include <tuple>

#include "base/fields.hpp"

namespace flashwave {

enum class Kernel : std::uint8_t {
    forward,  ///< forward.hip: tiles on the matrix unit
    naive,    ///< naive.hip: any shape, slow, the last resort; the other fields keep their defaults
};
constexpr auto enum_names(Kernel) {
    return std::array{EnumName{Kernel::forward, "forward"}, EnumName{Kernel::naive, "naive"}};
}

struct Candidate {
    Kernel kernel = Kernel::forward;
    int waves = 8;             ///< of a work-group
    int q_tiles = 1;           ///< tiles of 16 queries a wave
    int block_n = 64;          ///< keys a step
    bool q_in_lds = false;     ///< Q fragments are read from LDS in every step instead of staying in registers
    bool prefetch = true;      ///< the next K and V tiles are loaded to registers while this step computes
    int lds_stages = 1;        ///< copies of the K and V tiles in LDS
    bool lazy_rescale = true;  ///< O is rescaled only when a row maximum grew much
    int min_waves = 1;         ///< waves a SIMD the register allocator must leave room for

    static constexpr std::string_view kFieldsOf = "candidate";
    static constexpr auto fields() {
        return std::tuple{field("kernel", &Candidate::kernel),         field("waves", &Candidate::waves),
                          field("q_tiles", &Candidate::q_tiles),       field("block_n", &Candidate::block_n),
                          field("q_in_lds", &Candidate::q_in_lds),     field("prefetch", &Candidate::prefetch),
                          field("lds_stages", &Candidate::lds_stages), field("lazy_rescale", &Candidate::lazy_rescale),
                          field("min_waves", &Candidate::min_waves)};
    }
    friend bool operator==(const Candidate& left, const Candidate& right) { return equal_fields(left, right); }

    /// Query rows of one work-group.
    int block_m() const noexcept { return kernel == Kernel::naive ? 1 : 16 * q_tiles * waves; }
};

/// For people and kernel names: "m128n64w8", followed by what differs from the defaults: "m128n32w4_qlds".
std::string short_name(const Candidate& candidate);

}  // namespace flashwave
