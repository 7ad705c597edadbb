// URIs of glTF files: percent signs, base64 data, and which external files may be read.
#include "uri.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace pelt::io::gltf {
namespace {

int hexDigit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

int base64Digit(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+' || c == '-') return 62;
    if (c == '/' || c == '_') return 63;
    return -1;
}

}  // namespace

std::string percentDecoded(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%' && i + 2 < text.size() && hexDigit(text[i + 1]) >= 0 && hexDigit(text[i + 2]) >= 0) {
            out.push_back(static_cast<char>(hexDigit(text[i + 1]) * 16 + hexDigit(text[i + 2])));
            i += 2;
        } else {
            out.push_back(text[i]);
        }
    }
    return out;
}

std::string percentEncoded(std::string_view file_name) {
    std::string out;
    for (const char c : file_name) {
        const bool plain = std::isalnum(static_cast<unsigned char>(c)) || std::string_view("-_.~").find(c) < 4;
        out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

std::optional<std::vector<std::byte>> decodeDataUri(std::string_view uri) {
    const std::size_t comma = uri.find(',');
    if (!uri.starts_with("data:") || comma == std::string_view::npos) return std::nullopt;
    if (!uri.substr(0, comma).ends_with(";base64")) return std::nullopt;
    std::string_view text = uri.substr(comma + 1);
    while (text.ends_with('=')) text.remove_suffix(1);
    std::vector<std::byte> out;
    out.reserve(text.size() / 4 * 3 + 3);
    std::uint32_t bits = 0;
    int held = 0;
    for (const char c : text) {
        const int digit = base64Digit(c);
        if (digit < 0) return std::nullopt;
        bits = bits << 6 | static_cast<std::uint32_t>(digit);
        held += 6;
        if (held < 8) continue;
        held -= 8;
        out.push_back(static_cast<std::byte>(bits >> held & 0xFFU));
    }
    if (text.size() % 4 == 1) return std::nullopt;
    return out;
}

std::optional<std::filesystem::path> relativeFile(const std::filesystem::path& folder, std::string_view uri) {
    const std::size_t colon = uri.find(':');
    if (uri.empty() || (colon != std::string_view::npos && colon < uri.find('/'))) return std::nullopt;
    const std::string decoded = percentDecoded(uri);
    const std::filesystem::path relative(decoded);
    if (relative.is_absolute() || decoded.find('\0') != std::string::npos || decoded.front() == '\\')
        return std::nullopt;
    return folder / relative;
}

bool mayRead(const ExternalFiles& external, const std::filesystem::path& file) {
    if (!external.local_only) return true;
    std::error_code fault;
    const std::filesystem::path inside = std::filesystem::weakly_canonical(external.folder, fault);
    if (fault) return false;
    const std::filesystem::path real = std::filesystem::weakly_canonical(file, fault);
    return !fault && std::mismatch(inside.begin(), inside.end(), real.begin(), real.end()).first == inside.end();
}

}  // namespace pelt::io::gltf
