// What the studio answers with: the page, and the files that the user named.
#include "studio/studio_site.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pelt/core/error.h>
#include <pelt/verbs/files.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <optional>

namespace pelt::studio {
namespace {

namespace fs = std::filesystem;

struct StudioRequest {
    std::string method, path;
    std::string token, ticket;                       ///< of the address: /?token=…
    std::multimap<std::string, std::string> fields;  ///< names in lower case
};

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

int hexDigit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

std::string percentDecoded(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool coded =
            text[i] == '%' && i + 2 < text.size() && hexDigit(text[i + 1]) >= 0 && hexDigit(text[i + 2]) >= 0;
        plain += coded ? static_cast<char>(16 * hexDigit(text[i + 1]) + hexDigit(text[i + 2])) : text[i];
        if (coded) i += 2;
    }
    return plain;
}

/// Takes a line off the front of `head`, without its end.
std::string_view takeLine(std::string_view& head) {
    const std::size_t end = std::min(head.find("\r\n"), head.size());
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(end + 2, head.size()));
    return line;
}

/// The value of `name` in name=value pairs between separators; empty if there is none.
std::string valueIn(std::string_view pairs, char separator, std::string_view name) {
    while (!pairs.empty()) {
        const std::string_view pair = trimmed(pairs.substr(0, pairs.find(separator)));
        pairs.remove_prefix(std::min(pairs.find(separator), pairs.size() - 1) + 1);
        if (pair.size() > name.size() && pair.starts_with(name) && pair[name.size()] == '=')
            return std::string(pair.substr(name.size() + 1));
    }
    return {};
}

std::optional<StudioRequest> parseRequest(std::string_view head) {
    const std::string_view line = takeLine(head);
    const std::size_t first = line.find(' '), second = line.rfind(' ');
    if (first == std::string_view::npos || second == first) return std::nullopt;
    const std::string_view version = line.substr(second + 1);
    if (version != "HTTP/1.1" && version != "HTTP/1.0") return std::nullopt;
    const std::string_view target = line.substr(first + 1, second - first - 1);
    if (target.empty() || target.front() != '/') return std::nullopt;

    StudioRequest request;
    request.method = line.substr(0, first);
    request.path = percentDecoded(target.substr(1, target.find_first_of("?#") - 1));
    const std::string_view query = target.substr(std::min(target.find('?'), target.size() - 1) + 1);
    request.token = valueIn(query, '&', "token");
    request.ticket = valueIn(query, '&', "ticket");
    while (!head.empty()) {
        const std::string_view field = takeLine(head);
        if (field.empty()) break;
        const std::size_t colon = field.find(':');
        if (colon == std::string_view::npos || colon == 0) return std::nullopt;
        std::string name(field.substr(0, colon));
        for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        request.fields.emplace(std::move(name), trimmed(field.substr(colon + 1)));
    }
    return request;
}

/// Pages of other origins, and names that were made to point to this machine (DNS rebinding), get nothing.
bool comesFromThePage(const StudioRequest& request, const std::string& host) {
    const auto all = [&](const char* name, auto&& holds) {
        const auto [begin, end] = request.fields.equal_range(name);
        return std::all_of(begin, end, [&](const auto& field) { return holds(field.second); });
    };
    return request.fields.count("host") == 1 && request.fields.find("host")->second == host &&
           all("origin", [&](const std::string& origin) { return origin == "http://" + host; }) &&
           all("sec-fetch-site", [](const std::string& site) { return site == "same-origin" || site == "none"; });
}

/// Takes as long for any guess of this length.
bool isToken(std::string_view guess, std::string_view token) {
    if (guess.size() != token.size()) return false;
    unsigned different = 0;
    for (std::size_t i = 0; i < token.size(); ++i) different |= unsigned(guess[i] ^ token[i]);
    return different == 0 && !token.empty();
}

bool hasCookie(const StudioRequest& request, const StudioAccess& access) {
    const auto [begin, end] = request.fields.equal_range("cookie");
    return std::any_of(begin, end, [&](const auto& field) {
        return isToken(valueIn(field.second, ';', access.cookieName()), access.token);
    });
}

const char* contentType(const fs::path& path) {
    static const std::map<std::string, const char*> types = {{".html", "text/html; charset=utf-8"},
                                                             {".js", "text/javascript; charset=utf-8"},
                                                             {".css", "text/css; charset=utf-8"},
                                                             {".json", "application/json"},
                                                             {".map", "application/json"},
                                                             {".svg", "image/svg+xml"},
                                                             {".png", "image/png"},
                                                             {".wasm", "application/wasm"},
                                                             {".glb", "model/gltf-binary"}};
    const auto found = types.find(io::extensionOf(path));
    return found == types.end() ? "application/octet-stream" : found->second;
}

StudioAnswer refusal(int status, const std::string& text) {
    StudioAnswer answer;
    answer.status = status;
    answer.text = text + "\n";
    return answer;
}

}  // namespace

StudioSite::StudioSite(const fs::path& page) {
    for (const auto& entry : fs::recursive_directory_iterator(page))
        if (entry.is_regular_file() && !entry.is_symlink())
            entries_.emplace(entry.path().lexically_relative(page).generic_string(), Entry{entry.path(), nullptr});
    if (const auto start = entries_.find("index.html"); start != entries_.end()) entries_.emplace("", start->second);
}

std::string StudioSite::add(const std::string& name, Entry entry) {
    const std::string path = fmt::format("files/{}/{}", added_++, name);
    entries_.emplace(path, std::move(entry));
    return path;
}

std::string StudioSite::add(const std::string& name, const fs::path& file) { return add(name, Entry{file, nullptr}); }

std::string StudioSite::add(const std::string& name, std::vector<std::byte> bytes) {
    return add(name, Entry{{}, std::make_shared<const std::vector<std::byte>>(std::move(bytes))});
}

std::string newStudioToken() {
    std::array<unsigned char, 16> bytes{};
    if (::getentropy(bytes.data(), bytes.size()) != 0)
        throw Error::system(fmt::format("the system has no random numbers: {}", std::strerror(errno)));
    return fmt::format("{:02x}", fmt::join(bytes, ""));
}

StudioAnswer StudioSite::answer(std::string_view head, StudioAccess& access) const {
    const std::optional<StudioRequest> request = parseRequest(head);
    if (!request) return refusal(400, "This is no HTTP/1.1 request.");
    const bool first = isToken(request->ticket, access.ticket);
    const bool named = first || isToken(request->token, access.token);
    if (!comesFromThePage(*request, access.host) || !(named || hasCookie(*request, access)))
        return refusal(403, "This server answers its own page alone; open the address that pelt studio printed.");
    const bool head_only = request->method == "HEAD";
    if (!head_only && request->method != "GET") return refusal(405, "This server only gives files: use GET or HEAD.");
    const auto found = entries_.find(request->path);
    StudioAnswer answer = found == entries_.end() ? refusal(404, "There is no such file here.") : StudioAnswer{};
    answer.head_only = head_only;
    if (first) access.ticket.clear();
    if (named)
        answer.cookie = fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict", access.cookieName(), access.token);
    if (found == entries_.end()) return answer;
    answer.type = contentType(request->path.empty() ? "index.html" : request->path);
    answer.file = found->second.file;
    answer.bytes = found->second.bytes;
    return answer;
}

std::string percentEncoded(std::string_view text) {
    std::string coded;
    for (const char c : text) {
        const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                           std::string_view("-._~/").find(c) != std::string_view::npos;
        coded += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return coded;
}

}  // namespace pelt::studio
