#include <fcntl.h>
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/character_file.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <random>
#include <thread>

#include "signals.h"
#include "studio_server.h"
#include "text.h"
#include "verbs.h"

extern char** environ;

namespace pelt::cli {
namespace {

namespace fs = std::filesystem;

struct StudioOptions {
    std::vector<fs::path> files;
    bool no_open = false;
};

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
std::string addFile(Session& session, StudioSite& site, const fs::path& path) {
    const pipeline::FileKind kind = session.kindOf(path);
    if (!fs::is_regular_file(path))
        throw Error::badInput({path.string()}, "is a folder; name a file, or drop the folder's files on the page");
    if (kind != pipeline::FileKind::character || pipeline::extensionOf(path) == ".glb") {
        if (::access(path.c_str(), R_OK) != 0)
            throw Error::badInput({path.string()}, "cannot be read; check its permissions");
        return site.add(path.filename().string(), fs::absolute(path));
    }
    session.stage("load");
    return site.add(path.stem().string() + ".glb", io::toGlb(session.loadCharacter(path)));
}

/// Files open in a page of their own, whatever another run at this address has left in the browser.
std::string addressOf(const std::string& host, const std::vector<std::string>& files) {
    std::string address = fmt::format("http://{}/", host);
    if (!files.empty()) address += fmt::format("?run={:08x}", std::random_device{}());
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

void announce(const Session& session, const std::string& address) {
    if (session.json)
        writeStdout(nlohmann::ordered_json{{"verb", "studio"}, {"address", address}}.dump() + "\n");
    else
        writeStdout(fmt::format("Pelt Studio: {}\nCtrl-C ends it.\n", address));
}

void runStudio(Session& session, const StudioOptions& options) {
    const auto site = std::make_shared<StudioSite>(findStudioPage());
    std::vector<std::string> paths;
    for (const fs::path& file : options.files) paths.push_back(addFile(session, *site, file));
    StudioServer server;
    const std::string address = addressOf(server.host(), paths);
    session.endProgress();
    announce(session, address);
    if (!options.no_open && !openBrowser(address))
        writeStderr("pelt: found no xdg-open to start a browser with; open the address yourself\n");
    server.serve(site, cancelRequested);
    throw Error(ErrorCode::cancelled, "the studio is closed");
}

}  // namespace

void addStudio(CLI::App& app, Session& session) {
    auto options = std::make_shared<StudioOptions>();
    CLI::App* verb = session.addVerb(
        app, "studio", "Opens Pelt Studio in the browser: look at characters, compare methods, tune, pose, bake",
        "pelt studio hero.glb", [&session, options] { runStudio(session, *options); });
    verb->add_option("files", options->files, "Characters, or mesh sequences (.npy .pc2 .mdd .obj)")->type_name("FILE");
    verb->add_flag("--no-open", options->no_open, "Print the address and start no browser");
}

}  // namespace pelt::cli
