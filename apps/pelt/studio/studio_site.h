#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pelt::cli {

/// What the server of `pelt studio` answers with: a status, and what follows the head.
struct StudioAnswer {
    int status = 200;
    std::string type = "text/plain; charset=utf-8";
    std::string text;                                     ///< sent if there is neither a file nor bytes
    std::filesystem::path file;                           ///< sent as it is on the disk now
    std::shared_ptr<const std::vector<std::byte>> bytes;  ///< sent as they are
    bool head_only = false;
};

/// The files that the server has, by the paths of their addresses. What is not listed here does not exist for it, so
/// that no spelling of an address can reach anything else.
class StudioSite {
public:
    /// All files below `page`.
    explicit StudioSite(const std::filesystem::path& page);

    /// A file of the user. Returns the path of its address below the page: "files/0/hero.glb".
    std::string add(const std::string& name, const std::filesystem::path& file);
    std::string add(const std::string& name, std::vector<std::byte> bytes);

    /// The answer to the head of an HTTP request. Only requests that name `host`, and that no page of another origin
    /// made, are answered.
    StudioAnswer answer(std::string_view head, const std::string& host) const;

private:
    struct Entry {
        std::filesystem::path file;
        std::shared_ptr<const std::vector<std::byte>> bytes;
    };
    std::string add(const std::string& name, Entry entry);

    std::map<std::string, Entry, std::less<>> entries_;
    std::size_t added_ = 0;
};

/// Characters that have a meaning in addresses, as %XX.
std::string percentEncoded(std::string_view text);

}  // namespace pelt::cli
