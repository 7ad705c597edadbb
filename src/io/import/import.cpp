// Has .fbx and .dae read by the helper process.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/character_file.h>
#include <pelt/io/import.h>
#include <signal.h>
#ifdef __linux__
#include <dlfcn.h>
#endif

#include <cstdlib>
#include <string_view>

#include "child_process.h"
#include "import_glb.h"

namespace pelt::io {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWarning = "warning: ", kError = "error: ";
constexpr int kBadInputStatus = 3;
constexpr double kHelperShare = 0.9;  // of the time that an import takes

/// The messages of the helper: lines "warning: …" and at most one "error: …"; anything else comes from its libraries
/// and is ignored.
struct Messages {
    std::vector<std::string> warnings;
    std::string error;
};

std::string printable(std::string_view line) {
    std::string text(line.substr(0, 500));
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    return text;
}

Messages readMessages(std::string_view text) {
    Messages messages;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        if (line.starts_with(kWarning)) messages.warnings.push_back(printable(line.substr(kWarning.size())));
        if (line.starts_with(kError)) messages.error = printable(line.substr(kError.size()));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return messages;
}

[[noreturn]] void throwFault(const std::string& name, const ChildResult& child, const Messages& messages,
                             const ImportOptions& options) {
    if (child.timed_out || child.signal == SIGXCPU)
        throw Error::badInput({name}, fmt::format("reading it took longer than {:.4g} seconds and was stopped; the "
                                                  "file is damaged or too large; export it as glTF instead",
                                                  options.timeout_seconds));
    if (child.too_much_output)
        throw Error::badInput({name},
                              fmt::format("its contents need more than {} MiB of memory; export it as glTF instead",
                                          options.memory_bytes >> 20));
    if (child.signal == SIGINT || child.signal == SIGTERM || child.signal == SIGHUP)
        throw Error(ErrorCode::cancelled, {name}, "reading was canceled");
    if (child.exit_status == kBadInputStatus && !messages.error.empty()) throw Error::badInput({name}, messages.error);
    if (child.exit_status == 1 && !messages.error.empty()) throw Error::system({name}, messages.error);
    const std::string how =
        child.signal != 0 ? fmt::format("signal {}", child.signal) : fmt::format("exit status {}", child.exit_status);
    throw Error::badInput({name},
                          fmt::format("the importer crashed while reading it ({}); the file is damaged or of a kind "
                                      "it cannot read; export it as glTF instead",
                                      how));
}

/// The folder of the shared library or program that this code is in.
fs::path folderOfThisCode() {
#ifdef __linux__
    Dl_info info;
    if (::dladdr(reinterpret_cast<const void*>(&readMessages), &info) != 0 && info.dli_fname)
        return fs::path(info.dli_fname).parent_path();
#endif
    return {};
}

bool isProgram(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}

}  // namespace

fs::path findImporter() {
    if (const char* chosen = std::getenv("PELT_IMPORTER"); chosen && *chosen) {
        if (isProgram(chosen)) return chosen;
        throw Error::system(fmt::format(
            "PELT_IMPORTER is {}, which is not a program; set it to the path of pelt-import or unset it", chosen));
    }
    std::error_code no_proc;
    const fs::path folder = fs::read_symlink("/proc/self/exe", no_proc).parent_path();
    for (const fs::path& candidate :
         {folder / "pelt-import", folder / "../libexec/pelt/pelt-import", folderOfThisCode() / "pelt-import",
          fs::path(PELT_IMPORTER_BUILT), fs::path(PELT_IMPORTER_INSTALLED)})
        if (isProgram(candidate)) return candidate;
    throw Error::system(
        "the program pelt-import, which reads .fbx and .dae and decompresses meshes, was found neither beside this "
        "program nor where it was installed; set PELT_IMPORTER to its path, or export the file as plain glTF");
}

Imported importGlb(const fs::path& path, const ImportOptions& options, const Progress& progress) {
    const std::string name = path.string();
    std::error_code fault;
    if (!fs::is_regular_file(path, fault)) throw Error::badInput({name}, "there is no such file");
    const fs::path importer = options.importer.empty() ? findImporter() : options.importer;
    const std::vector<std::string> arguments{"--memory", std::to_string(options.memory_bytes), "--seconds",
                                             fmt::format("{:.0f}", std::max(1.0, options.timeout_seconds)),
                                             fs::absolute(path, fault).string()};
    ChildResult child = runChild(importer, arguments, options.timeout_seconds,
                                 static_cast<std::size_t>(options.memory_bytes), progress);
    Messages messages = readMessages(child.messages);
    if (child.exit_status != 0) throwFault(name, child, messages, options);
    return {std::move(child.output), std::move(messages.warnings)};
}

Loaded importCharacter(const fs::path& path, const ImportOptions& options, const Progress& progress) {
    Imported imported = importGlb(path, options, progress.share("import", 0, kHelperShare));
    return loadImported(std::move(imported), path, {}, progress.share("import", kHelperShare, 1));
}

}  // namespace pelt::io
