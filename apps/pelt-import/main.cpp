// pelt-import [--memory BYTES] [--seconds N] IN: reads FBX or Collada, writes .glb to standard output. Lines "progress:
// F" (0 to 1, rising), "warning: …" and at most one "error: …" on standard error; exit status as for Pelt's command
// line. pelt-import [--memory BYTES] --unpack: decompresses mesh data received over the socket that is its standard
// input, and answers there (src/io/import/unpacker.h). Both enter a sandbox before they read any data.
#include <pelt/core/error.h>
#include <pelt/io/atomic_file.h>
#include <pelt/io/character_file.h>
#include <pelt/io/import.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string_view>

#include "import_library.h"
#include "scene_reader.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PELT_SANITIZED_ADDRESSES
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PELT_SANITIZED_ADDRESSES
#endif

#ifdef PELT_SANITIZED_ADDRESSES
// A sanitizer reserves terabytes of address space, so the memory in use is limited instead; leaks of a process that
// exits immediately do not matter.
extern "C" const char* __asan_default_options() { return "hard_rss_limit_mb=1024:detect_leaks=0"; }
extern "C" const char* __tsan_default_options() { return "hard_rss_limit_mb=1024"; }
#endif

namespace {

struct Arguments {
    std::uint64_t memory = 0, seconds = 0;  // 0: no limit
    const char* in = nullptr;
    bool unpack = false;
};

bool parseArguments(int argc, char** argv, Arguments& arguments) {
    int at = 1;
    for (; at + 1 < argc && std::string_view(argv[at]).starts_with("--"); at += 2) {
        const std::string_view option = argv[at];
        if (option != "--memory" && option != "--seconds") return false;
        (option == "--memory" ? arguments.memory : arguments.seconds) = std::strtoull(argv[at + 1], nullptr, 10);
    }
    if (argc - at != 1) return false;
    arguments.unpack = std::string_view(argv[at]) == "--unpack";
    arguments.in = argv[at];
    return true;
}

void limit(int resource, rlim_t most) {
    rlimit current{};
    if (::getrlimit(static_cast<__rlimit_resource_t>(resource), &current) != 0) return;
    if (current.rlim_max != RLIM_INFINITY && current.rlim_max < most) return;
    current = {most, most};
    ::setrlimit(static_cast<__rlimit_resource_t>(resource), &current);
}

/// Address space for a file: the needs of the program itself, plus many times the file's size. This stops a damaged
/// file that makes the library allocate without end.
[[maybe_unused]] std::uint64_t memoryLimit(const Arguments& arguments) {
    constexpr std::uint64_t kAlways = std::uint64_t(192) << 20, kPerByte = 128;
    if (arguments.unpack) return arguments.memory;
    std::error_code unreadable;
    const std::uint64_t size = std::filesystem::file_size(arguments.in, unreadable);
    if (unreadable || size > arguments.memory / kPerByte) return arguments.memory;
    return std::min(arguments.memory, kAlways + size * kPerByte);
}

void limitProcess(const Arguments& arguments) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // the reader of the result is gone, so it is no longer needed
    limit(RLIMIT_CORE, 0);
    if (arguments.seconds > 0) limit(RLIMIT_CPU, arguments.seconds);
#ifndef PELT_SANITIZED_ADDRESSES
    if (arguments.memory > 0) limit(RLIMIT_AS, memoryLimit(arguments));
#endif
}

void writeAll(const std::vector<std::byte>& bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size() || std::fflush(stdout) != 0)
        throw pelt::Error::system("the character could not be passed on");
}

int fail(int status, const char* message) {
    std::fprintf(stderr, "error: %s\n", message);
    return status;
}

/// At most one line per percent: the reader limits the total size of messages.
pelt::Progress tellPercents() {
    return pelt::Progress([printed = 0](std::string_view, double fraction) mutable {
        const int percent = static_cast<int>(std::clamp(fraction, 0.0, 1.0) * 100);
        if (percent > printed) std::fprintf(stderr, "progress: %d.%02d\n", percent / 100, percent % 100);
        printed = std::max(printed, percent);
        return true;
    });
}

int run(const Arguments& arguments) {
    try {
        if (arguments.unpack) return pelt::io::enterSandbox(), pelt::io::serveUnpacking(STDIN_FILENO) ? 0 : 1;
        std::vector<std::byte> bytes = pelt::io::readFile(arguments.in);
        const bool fbx = pelt::io::isFbx(bytes);
        if (!fbx) pelt::importer::loadImportLibrary();  // the sandbox opens no files
        pelt::io::enterSandbox();
        std::vector<std::string> warnings;
        writeAll(fbx ? pelt::io::importedGlb(std::move(bytes), warnings, tellPercents())
                     : pelt::io::toGlb(pelt::importer::readBytes(bytes, warnings, tellPercents())));
        for (const std::string& warning : warnings) std::fprintf(stderr, "warning: %s\n", warning.c_str());
        return 0;
    } catch (const pelt::Error& error) {
        return fail(error.code() == pelt::ErrorCode::bad_input ? 3 : 1, error.what());
    } catch (const std::bad_alloc&) {
        return fail(3, "reading it needs more memory than the importer may use; export it as glTF instead");
    } catch (const std::exception&) {
        return fail(3, "it cannot be read: it is inconsistent; export it as glTF instead");
    }
}

}  // namespace

int main(int argc, char** argv) {
    Arguments arguments;
    if (!parseArguments(argc, argv, arguments)) {
        std::fputs("usage: pelt-import [--memory BYTES] [--seconds N] IN.fbx|IN.dae > OUT.glb\n", stderr);
        return 2;
    }
    limitProcess(arguments);
    const int status = run(arguments);
    std::fflush(nullptr);
    // Exits immediately: the import library's destructors may crash after a damaged file.
    ::_exit(status);
}
