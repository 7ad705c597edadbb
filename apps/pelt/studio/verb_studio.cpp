// pelt studio: serves the page to a browser on this machine.
#include "studio/verb_studio.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/character_file.h>
#include <pelt/verbs/files.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <random>
#include <thread>

#include "program/file_host.h"
#include "program/signals.h"
#include "program/terminal.h"
#include "studio/studio_server.h"
#include "verbs/run/common_options.h"

extern char** environ;

namespace pelt::studio {
namespace {

namespace fs = std::filesystem;

struct StudioOptions {
    bool no_open = false;
};

OptionTable<StudioOptions> studioRows() {
    return {OptionRow<StudioOptions>("no_open", "", &StudioOptions::no_open, "Print the address and start no browser")
                .in(verbs::kCommon)};
}

/// The built page: installed, or in the source tree that this program was built from.
fs::path findStudioPage() {
    std::error_code ignored;
    const auto has_page = [&](const fs::path& folder) { return fs::is_regular_file(folder / "index.html", ignored); };
    if (const char* chosen = std::getenv("PELT_STUDIO"); chosen && *chosen) {
        if (has_page(chosen)) return fs::canonical(chosen);
        throw Error::system(fmt::format(
            "PELT_STUDIO is {}, where there is no index.html; set it to the folder of the built page or unset it",
            chosen));
    }
    const fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
    for (const fs::path& candidate :
         {folder / "../share/pelt/studio", fs::path(PELT_STUDIO_BUILT), fs::path(PELT_STUDIO_INSTALLED)})
        if (has_page(candidate)) return fs::canonical(candidate);
    throw Error::system("the page of the studio is not built; run scripts/studio in Pelt's source, which builds it");
}

/// A .glb, a sequence or a mesh as it is; any other character as a .glb, with the files it refers to.
std::string addFile(verbs::Run& run, StudioSite& site, const verbs::Given& given) {
    const fs::path path = given.name;
    if (given.character) return site.add(path.string() + ".glb", io::toGlb(*given.character));
    const verbs::FileKind kind = verbs::Run::kindOf(given);
    if (!fs::is_regular_file(path))
        throw Error::badInput({path.string()}, "is a folder; name a file, or drop the folder's files on the page");
    if (kind != verbs::FileKind::character || io::extensionOf(path) == ".glb") {
        if (::access(path.c_str(), R_OK) != 0)
            throw Error::badInput({path.string()}, "cannot be read; check its permissions");
        return site.add(path.filename().string(), fs::absolute(path));
    }
    run.stage("load");
    return site.add(path.stem().string() + ".glb", io::toGlb(*run.characterOf(given, {}, false)));
}

/// Files open in a page of their own, whatever another run at this address has left in the browser. The page takes the
/// token out of what the browser shows and remembers.
std::string addressOf(const StudioAccess& access, const std::string& secret, const std::vector<std::string>& files) {
    std::string address = fmt::format("http://{}/?{}", access.host, secret);
    if (!files.empty()) address += fmt::format("&run={:08x}", std::random_device{}());
    for (const std::string& file : files) address += "&open=" + percentEncoded(file);
    return address;
}

/// True if a program that opens addresses could be started.
bool openBrowser(const std::string& address) {
    const char* const words[] = {"xdg-open", address.c_str(), nullptr};
    posix_spawn_file_actions_t streams;
    posix_spawn_file_actions_init(&streams);
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
        posix_spawn_file_actions_addopen(&streams, stream, "/dev/null", O_RDWR, 0);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none, pipe;
    ::sigemptyset(&none);
    ::sigemptyset(&pipe);
    ::sigaddset(&pipe, SIGPIPE);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &pipe);
    posix_spawnattr_setpgroup(&attributes, 0);  // Ctrl-C is for the server alone
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    pid_t child = -1;
    const bool started =
        ::posix_spawnp(&child, words[0], &streams, &attributes, const_cast<char* const*>(words), environ) == 0;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&streams);
    if (started) std::thread([child] { ::waitpid(child, nullptr, 0); }).detach();
    return started;
}

void announce(bool json, const std::string& address) {
    if (json)
        program::writeStdout(nlohmann::ordered_json{{"verb", "studio"}, {"address", address}}.dump() + "\n");
    else
        program::writeStdout(fmt::format("Pelt Studio: {}\nCtrl-C ends it.\n", address));
}

void runStudio(verbs::Run& run) {
    const auto options = run.read(studioRows());
    program::FileHost& host = program::hostOf(run);
    const auto site = std::make_shared<StudioSite>(findStudioPage());
    std::vector<std::string> paths;
    for (const verbs::Given& file : run.allGiven("files")) paths.push_back(addFile(run, *site, file));
    StudioServer server;
    const StudioAccess access{server.host(), newStudioToken(), newStudioToken()};
    host.endProgress();
    announce(host.json, addressOf(access, "token=" + access.token, paths));
    if (!options.no_open && !openBrowser(addressOf(access, "ticket=" + access.ticket, paths)))
        program::writeStderr("pelt: found no xdg-open to start a browser with; open the address yourself\n");
    server.serve(site, access, program::cancelRequested);
    throw Error(ErrorCode::cancelled, "the studio is closed");
}

}  // namespace

verbs::Verb studioVerb() {
    return {.name = "studio",
            .summary = "Opens Pelt Studio in the browser: look at characters, compare methods, tune, pose, bake",
            .example = "pelt studio hero.glb",
            .where = verbs::Where::program,
            .browser = false,
            .inputs = {{.name = "files",
                        .kind = verbs::Kind::any,
                        .values = "FILE",
                        .summary = "Characters, or mesh sequences (.npy .pc2 .mdd .obj)",
                        .required = false,
                        .many = true,
                        .word = true}},
            .options = optionInfos(studioRows()),
            .run = runStudio};
}

}  // namespace pelt::studio
