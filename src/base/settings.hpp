// Every environment variable flashwave knows, read once. Nothing else in the library calls getenv.
// Options of the public interface override these; a program that runs with raised privileges (AT_SECURE: setuid,
// file capabilities) gets the defaults, for its environment belongs to somebody else.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/log.hpp"

namespace flashwave {

struct Settings {
    /// FLASHWAVE_CACHE_DIR: the directory of the cache; ":memory:" keeps nothing.
    /// Default: $XDG_CACHE_HOME/flashwave, otherwise $HOME/.cache/flashwave; empty (keep nothing) where neither is usable.
    std::string cache_directory;
    /// FLASHWAVE_LIBEXEC: the directory of flashwave-worker and flashwave-tuner. Default: found beside the library.
    std::string libexec_directory;
    /// FLASHWAVE_ROCM: a ROCm installation (/opt/rocm-6.4) or a prefix made by scripts/fetch-rocm. Default: /opt/rocm*,
    /// then the prefix named when flashwave was configured.
    std::string rocm;
    /// FLASHWAVE_HIP_LIBRARY: the HIP library to load, by path or name. Default: libamdhip64.so.
    std::string hip_library;
    /// FLASHWAVE_DEVICE: "hip:0", "emulated:gfx1100". Default: empty, which is the current HIP device.
    std::string device;
    /// FLASHWAVE_LOG: debug, info, warn, error or off. Default: warn.
    LogLevel log_level = LogLevel::warn;
    /// FLASHWAVE_TUNE: first_use, replay or off. Default: empty, which is first_use.
    std::string tune;
    /// FLASHWAVE_WORKERS: how many compilers may run at once, 1 to 64. Default: 0, which is half the processors.
    int workers = 0;
    /// FLASHWAVE_TUNE_BUDGET: seconds that one problem may be tuned. Default: 120.
    int tune_budget_seconds = 120;
    /// FLASHWAVE_CACHE_LIMIT: MiB of code objects that are kept. Default: 512.
    int cache_limit_mib = 512;
    /// TMPDIR: where compilers put their temporary files. Default: /tmp.
    std::string temporary_directory = "/tmp";
    /// HOME, where it is a usable absolute path other than "/".
    std::string home;
    /// The process runs with raised privileges: the environment was not read.
    bool secure = false;
    /// One sentence for each variable whose value was not understood and therefore ignored.
    std::vector<std::string> warnings;
};

/// The settings of this process, read at the first call.
const Settings& settings();

/// The same from any source of variables: `lookup` gives nullptr for one that is not set.
Settings read_settings(const std::function<const char*(const char*)>& lookup, bool secure);

}  // namespace flashwave
