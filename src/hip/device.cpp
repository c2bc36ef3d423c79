#include "hip/device.hpp"

#include <charconv>
#include <cstring>

#include <fmt/format.h>

#include "hip/current_device.hpp"

namespace flashwave::hip {
namespace {

/// The C string in a char array that may lack its terminator.
template <std::size_t N>
std::string text_of(const char (&field)[N]) {
    return {field, strnlen(field, N)};
}

template <class Properties>
void copy_properties(const Properties& from, DeviceFacts& to) {
    to.name = text_of(from.name);
    to.target = text_of(from.gcnArchName);
    to.multiprocessors = from.multiProcessorCount;
    to.wave_size = from.warpSize;
    to.clock_khz = from.clockRate;
    to.memory_bytes = from.totalGlobalMem;
    to.shared_bytes_per_block = static_cast<std::uint32_t>(from.sharedMemPerBlock);
    to.l2_bytes = static_cast<std::uint32_t>(from.l2CacheSize);
    to.max_threads_per_block = from.maxThreadsPerBlock;
    to.pci = fmt::format("{:04x}:{:02x}:{:02x}", from.pciDomainID, from.pciBusID, from.pciDeviceID);
}

}  // namespace

Result<Device> Device::open(std::string_view name) {
    constexpr std::string_view gpu = "hip:", emulated = "emulated:";
    const auto malformed = [name] {
        return Status(Code::invalid_argument,
                      fmt::format("device \"{}\" is neither \"hip:N\" (the N-th GPU, from 0) nor \"emulated:gfx1100\"", name));
    };
    if (name.starts_with(emulated)) {
        const std::string card(name.substr(emulated.size()));
        if (card.empty()) return malformed();
        auto api = open_emulator_api();
        if (!api.ok()) return api.status();
        int ordinal = 0;
        if ((*api)->hipemuOpenDevice(card.c_str(), &ordinal) != hipSuccess)
            return Status(Code::invalid_argument, fmt::format("device \"{}\": the emulator models no card or target of that name", name));
        Device device(*api, ordinal);
        FLASHWAVE_RETURN_IF_ERROR(device.read_facts());
        return device;
    }
    if (!name.starts_with(gpu)) return malformed();
    const std::string_view number = name.substr(gpu.size());
    int ordinal = -1;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), ordinal);
    if (error != std::errc{} || end != number.data() + number.size() || ordinal < 0) return malformed();

    auto api = open_gpu_api();
    if (!api.ok()) return api.status();
    int count = 0;
    if ((*api)->hipGetDeviceCount(&count) != hipSuccess) count = 0;
    if (ordinal >= count)
        return Status(Code::unavailable,
                      fmt::format("device \"{}\": HIP ({}) shows {} device{}; to run without a GPU ask for \"emulated:gfx1100\"", name,
                                  (*api)->path, count, count == 1 ? "" : "s"));
    Device device(*api, ordinal);
    FLASHWAVE_RETURN_IF_ERROR(device.read_facts());
    return device;
}

Status Device::read_facts() {
    const CurrentDevice current(*this);
    FLASHWAVE_RETURN_IF_ERROR(current.status());
    if (api_->hipGetDevicePropertiesR0600) {
        hipDeviceProp_tR0600 properties{};
        FLASHWAVE_RETURN_IF_ERROR(
            api_->status(api_->hipGetDevicePropertiesR0600(&properties, ordinal_), "hipGetDevicePropertiesR0600"));
        copy_properties(properties, facts_);
    } else if (api_->hipGetDeviceProperties) {
        hipDeviceProp_tR0000 properties{};
        FLASHWAVE_RETURN_IF_ERROR(api_->status(api_->hipGetDeviceProperties(&properties, ordinal_), "hipGetDeviceProperties"));
        copy_properties(properties, facts_);
    } else {
        return {Code::unavailable, fmt::format("the HIP library {} has no hipGetDeviceProperties", api_->path)};
    }
    // RDNA counts a WGP, two compute units, as one multiprocessor; the attribute that counts compute units came with HIP 5.6.
    if (api_->hipDeviceGetAttribute(&facts_.compute_units, hipDeviceAttributePhysicalMultiProcessorCount, ordinal_) != hipSuccess)
        facts_.compute_units = facts_.multiprocessors;
    (void)api_->hipDriverGetVersion(&facts_.driver_version);
    (void)api_->hipRuntimeGetVersion(&facts_.runtime_version);
    if (!api_->emulator()) return {};

    HipemuDeviceInfo info;
    FLASHWAVE_RETURN_IF_ERROR(api_->status(api_->hipemuDeviceInfo(ordinal_, &info), "hipemuDeviceInfo"));
    facts_.emulated = info.emulated != 0;
    facts_.deterministic_clock = info.deterministic_clock != 0;
    facts_.card = text_of(info.card);
    facts_.timing_table_hash = text_of(info.timing_table_hash);
    return {};
}

std::string Device::identity() const {
    if (facts_.emulated) return fmt::format("emulated:{} {} model {}", facts_.card, facts_.target, facts_.timing_table_hash);
    return fmt::format("{} {} {} CU {} MHz {} MiB", facts_.name, facts_.target, facts_.compute_units, facts_.clock_khz / 1000,
                       facts_.memory_bytes >> 20);
}

Status Device::make_current() const { return api_->status(api_->hipSetDevice(ordinal_), "hipSetDevice"); }

Status Device::synchronize() const {
    FLASHWAVE_RETURN_IF_ERROR(make_current());
    return api_->status(api_->hipDeviceSynchronize(), "hipDeviceSynchronize");
}

Result<std::uint64_t> Device::free_memory() const {
    FLASHWAVE_RETURN_IF_ERROR(make_current());
    std::size_t free_bytes = 0, total = 0;
    FLASHWAVE_RETURN_IF_ERROR(api_->status(api_->hipMemGetInfo(&free_bytes, &total), "hipMemGetInfo"));
    return static_cast<std::uint64_t>(free_bytes);
}

}  // namespace flashwave::hip
