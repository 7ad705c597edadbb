#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pelt::studio {

/// What the server of `pelt studio` answers with: a status, and what follows the head.
struct StudioAnswer {
    int status = 200;
    std::string type = "text/plain; charset=utf-8";
    std::string text;                                     ///< sent if there is neither a file nor bytes
    std::filesystem::path file;                           ///< sent as it is on the disk now
    std::shared_ptr<const std::vector<std::byte>> bytes;  ///< sent as they are
    bool head_only = false;
    std::string cookie;  ///< that the browser shall keep; empty: none
};

/// Who may be answered. A port has no owner: every user of this machine, and every page of every browser on it, can
/// send requests there. Only who was given the printed address knows the token in it; the browser then keeps it as a
/// cookie.
struct StudioAccess {
    std::string host;   ///< "127.0.0.1:7358", as requests must name it
    std::string token;  ///< 32 hexadecimal digits
    /// Opens the page once, as the token does: for the browser that is started, since the arguments of a program can be
    /// seen by all users. Empty when it has been used.
    std::string ticket = {};

    /// Of this port alone: cookies do not know ports, and several servers may run.
    std::string cookieName() const { return "pelt_studio_" + host.substr(host.rfind(':') + 1); }
};

/// 128 bits that nobody can foresee. Throws Error (system) if the system has none.
std::string newStudioToken();

/// The files that the server has, by the paths of their addresses. What is not listed here does not exist for it, so
/// that no spelling of an address can reach anything else.
class StudioSite {
public:
    /// All files below `page`.
    explicit StudioSite(const std::filesystem::path& page);

    /// A file of the user. Returns the path of its address below the page: "files/0/hero.glb".
    std::string add(const std::string& name, const std::filesystem::path& file);
    std::string add(const std::string& name, std::vector<std::byte> bytes);

    /// The answer to the head of an HTTP request. Only requests that name the host, that no page of another origin
    /// made, and that have the token, are answered. Uses up the ticket.
    StudioAnswer answer(std::string_view head, StudioAccess& access) const;

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

}  // namespace pelt::studio
