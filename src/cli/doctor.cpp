#include "cli/doctor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "base/file.hpp"
#include "base/file_lock.hpp"
#include "base/file_system.hpp"
#include "base/settings.hpp"
#include "cache/query.hpp"
#include "cli/command.hpp"
#include "compile/worker_pool.hpp"
#include "flashwave/version.hpp"
#include "hip/device.hpp"
#include "problem/arch.hpp"

namespace flashwave::cli {
namespace {

constexpr std::chrono::milliseconds kCompilerTime{120'000};
constexpr std::chrono::milliseconds kLockTime{2'000};

class Examination {
  public:
    explicit Examination(const DoctorOptions& options) : options_(options) {}

    DoctorReport run() {
        good("flashwave", fmt::format("{} in {}", version(), own_directory()));
        for (const std::string& warning : settings().warnings) note("settings", warning, {});
        gpus();
        emulator();
        chosen_device();
        compiler();
        tuner();
        cache();
        return std::move(report_);
    }

  private:
    void good(std::string part, std::string text) { add(std::move(part), Verdict::good, std::move(text), {}); }
    void note(std::string part, std::string text, std::string remedy) {
        add(std::move(part), Verdict::note, std::move(text), std::move(remedy));
    }
    void missing(std::string part, std::string text, std::string remedy) {
        add(std::move(part), Verdict::missing, std::move(text), std::move(remedy));
    }
    void add(std::string part, Verdict verdict, std::string text, std::string remedy) {
        report_.findings.push_back(
            {.part = std::move(part), .verdict = verdict, .text = std::move(text), .remedy = std::move(remedy)});
    }

    void gpus();
    void emulator();
    void chosen_device();
    void compiler();
    void targets(WorkerPool& pool);
    void listing(WorkerPool& pool);
    void tuner();
    void cache();
    void cache_file(const std::string& directory);

    const DoctorOptions& options_;
    DoctorReport report_;
};

void Examination::gpus() {
    const auto api = hip::open_gpu_api();
    if (!api.ok()) {
        // No fault of the machine's: everything runs on the emulator, once that is asked for.
        note("HIP library", api.status().message(), {});
        return;
    }
    if ((*api)->emulator()) {
        note("HIP library", fmt::format("{} is flashwave's emulator, named by FLASHWAVE_HIP_LIBRARY", (*api)->path),
             {});
        return;
    }
    report_.hip_library = (*api)->path;
    int count = 0;
    const Status counted = (*api)->status((*api)->hipGetDeviceCount(&count), "hipGetDeviceCount");
    if (!counted.ok() || count == 0) {
        note("HIP library",
             fmt::format("{} finds no device{}", report_.hip_library, counted.ok() ? "" : ": " + counted.message()),
             "check that this user may open /dev/kfd and /dev/dri/renderD*: usermod -aG render,video USER, then log in "
             "again");
        return;
    }
    good("HIP library", report_.hip_library);
    for (int ordinal = 0; ordinal < count; ++ordinal) {
        const std::string name = fmt::format("hip:{}", ordinal);
        const auto device = hip::Device::open(name);
        if (!device.ok()) {
            missing("device " + name, device.status().message(), {});
            continue;
        }
        const auto& facts = device->facts();
        report_.devices.push_back({.name = name, .model = facts.name, .target = facts.target});
        const Arch* arch = find_arch(facts.target);
        const std::string text = fmt::format("{}, {}, {} compute units, {} MiB", facts.name, facts.target,
                                             facts.compute_units, facts.memory_bytes >> 20);
        if (arch != nullptr && arch->supported) good("device " + name, text);
        else note("device " + name, text + "; this version has no kernels for its target", {});
    }
}

void Examination::emulator() {
    const auto api = hip::open_emulator_api();
    if (!api.ok()) {
        missing("emulator", api.status().message(),
                "build and install flashwave as a whole, or set FLASHWAVE_HIP_LIBRARY to libhipemu.so");
        return;
    }
    report_.emulator_library = (*api)->path;
    for (const Arch& arch : all_archs()) {
        if (!arch.supported) continue;
        const std::string name = fmt::format("emulated:{}", arch.target);
        const auto device = hip::Device::open(name);
        if (!device.ok()) {
            missing("emulator", device.status().message(), {});
            continue;
        }
        report_.devices.push_back({.name = name, .model = device->facts().name, .target = device->facts().target});
        good("emulator",
             fmt::format("{} in {}, asked for as {}", device->facts().name, report_.emulator_library, name));
    }
}

void Examination::chosen_device() {
    const std::string& chosen = settings().device;
    if (chosen.empty()) {
        const bool gpu = std::any_of(report_.devices.begin(), report_.devices.end(),
                                     [](const DoctorDevice& device) { return device.name.starts_with("hip:"); });
        if (!gpu)
            note("default device", "none: without a GPU a device has to be named",
                 "flashwave run --device emulated:gfx1100, or export FLASHWAVE_DEVICE=emulated:gfx1100");
        return;
    }
    const auto device = hip::Device::open(chosen);
    if (device.ok()) good("default device", fmt::format("FLASHWAVE_DEVICE={} ({})", chosen, device->facts().name));
    else
        missing("default device", fmt::format("FLASHWAVE_DEVICE={}: {}", chosen, device.status().message()),
                "set FLASHWAVE_DEVICE to a device listed here, or unset it");
}

void Examination::compiler() {
    WorkerPool pool({.workers = 1, .launch = {}});
    const auto launch = pool.launch();
    if (!launch.ok()) {
        missing("compiler", launch.status().message(), how_to_get_rocm());
        return;
    }
    report_.worker = launch->program;
    report_.rocm = launch->origin;
    const auto identity = pool.identity(deadline_after(kCompilerTime));
    if (!identity.ok()) {
        missing("compiler", identity.status().message(), how_to_get_rocm());
        return;
    }
    report_.compiler = *identity;
    good("compiler worker", launch->loader.empty()
                                ? launch->program
                                : fmt::format("{} started through {}", launch->program, launch->loader));
    good("compiler", fmt::format("{}, comgr {}, from {}", identity->compiler, identity->comgr_version, launch->origin));
    for (const ToolchainLibrary& library : identity->libraries)
        good("compiler library",
             fmt::format("{} build-id {}", library.path, library.build_id.empty() ? "none" : library.build_id));
    targets(pool);
    listing(pool);
}

void Examination::targets(WorkerPool& pool) {
    std::vector<std::string> wanted;
    if (!options_.all_targets)
        for (const Arch& arch : all_archs()) wanted.emplace_back(arch.target);
    const auto compiled = pool.targets(wanted, deadline_after(kCompilerTime));
    if (!compiled.ok()) {
        missing("targets", compiled.status().message(), how_to_get_rocm());
        return;
    }
    report_.targets = *compiled;
    good("targets",
         fmt::format("a kernel was compiled for {}",
                     compiled->empty() ? std::string("none") : fmt::format("{}", fmt::join(*compiled, ", "))));
    for (const Arch& arch : all_archs())
        if (arch.supported && std::find(compiled->begin(), compiled->end(), arch.target) == compiled->end())
            missing("targets", fmt::format("this compiler does not compile for {}", arch.target), how_to_get_rocm());
}

// The emulator runs what comgr lists, so that has to work as well.
void Examination::listing(WorkerPool& pool) {
    const CompileJob job{
        .target = "gfx1100",
        .main_file = "listed.hip",
        .files = {{.name = "listed.hip",
                   .text = "extern \"C\" __attribute__((global)) void listed(int* out) { *out = 1; }\n"}},
        .options = {"--hiprtc-no-builtin-header", "-nogpuinc"}};
    const auto object = pool.compile(job, deadline_after(kCompilerTime));
    if (!object.ok()) return;  // the targets have said so
    const auto text = pool.list(object->code, job.target, deadline_after(kCompilerTime));
    if (text.ok() && text->find("s_endpgm") != std::string::npos)
        good("disassembler", "a code object was listed, as the emulator needs it");
    else
        missing("disassembler", text.ok() ? "the listing of a code object is not understood" : text.status().message(),
                how_to_get_rocm());
}

void Examination::tuner() {
    const auto program = find_program("flashwave-tuner");
    if (program.ok()) good("tuner", *program);
    else
        missing("tuner", program.status().message(),
                "build and install flashwave as a whole, or set FLASHWAVE_LIBEXEC");
}

void Examination::cache() {
    const std::string& directory = options_.cache_directory;
    report_.cache_directory = directory;
    if (directory.empty()) {
        missing("cache",
                "there is no place for it: HOME and XDG_CACHE_HOME are not usable, so every process compiles and tunes "
                "anew",
                "export FLASHWAVE_CACHE_DIR=/a/directory/of/yours");
        return;
    }
    if (directory == ":memory:") {
        note("cache", "FLASHWAVE_CACHE_DIR=:memory: keeps nothing, so every process compiles and tunes anew", {});
        return;
    }
    if (const auto system = file_system_of(directory); system.ok()) {
        report_.cache_file_system = system->type;
        if (system->kind == FileSystemKind::network)
            note("cache",
                 fmt::format("{} lies on a network file system ({}), whose locks are often slow or missing", directory,
                             system->type),
                 "export FLASHWAVE_CACHE_DIR=/a/local/directory");
    }
    std::string existing = directory;
    while (!is_directory(existing) && existing != "/" && existing != ".") existing = directory_of(existing);
    if (const Status owned = check_private(existing); !owned.ok()) {
        missing("cache", fmt::format("{} is not used: {}", directory, owned.message()),
                "mend it as the sentence says, or export FLASHWAVE_CACHE_DIR=/a/directory/of/yours");
        return;
    }
    if (::access(existing.c_str(), W_OK) != 0) {
        missing("cache", fmt::format("{} cannot be written by this user", existing),
                "export FLASHWAVE_CACHE_DIR=/a/directory/of/yours");
        return;
    }
    if (existing != directory) {
        good("cache", fmt::format("{} ({}), made at the first call", directory, report_.cache_file_system));
        return;
    }
    cache_file(directory);
}

// The directory is there: the things the cache does with it are done with a file of our own.
void Examination::cache_file(const std::string& directory) {
    const std::string trial = fmt::format("{}/doctor-{}.lock", directory, ::getpid());
    Status status = write_file_atomically(trial, "flashwave doctor\n");
    if (status.ok()) {
        const auto first = FileLock::acquire(trial, FileLock::Kind::exclusive, deadline_after(kLockTime));
        status = first.status();
        if (first.ok() && FileLock::acquire(trial, FileLock::Kind::exclusive, deadline_after({})).ok())
            status = Status(Code::unavailable, "two holders of one lock: this file system's locks do not work");
    }
    ::unlink(trial.c_str());
    if (!status.ok()) {
        missing("cache", fmt::format("{}: {}", directory, status.message()),
                "export FLASHWAVE_CACHE_DIR=/a/local/directory");
        return;
    }
    const auto rows = cache::query(directory, "SELECT count(*) FROM v_selection");
    if (rows.ok() && rows->rows.size() == 1) {
        good("cache", fmt::format("{} ({}), private and writable, locks work, {} tuned problems", directory,
                                  report_.cache_file_system, rows->rows[0][0].text));
    } else if (rows.status().code() == Code::not_found) {
        good("cache",
             fmt::format("{} ({}), private and writable, locks work, empty", directory, report_.cache_file_system));
    } else {
        missing("cache", fmt::format("{}: {}", directory, rows.status().message()),
                fmt::format("mv '{0}' '{0}.aside'", directory));
    }
}

}  // namespace

int DoctorReport::exit_code() const {
    const bool lacks = std::any_of(findings.begin(), findings.end(),
                                   [](const Finding& finding) { return finding.verdict == Verdict::missing; });
    return lacks ? kLackingEnvironment : kDone;
}

DoctorReport make_doctor_report(const DoctorOptions& options) { return Examination(options).run(); }

}  // namespace flashwave::cli
