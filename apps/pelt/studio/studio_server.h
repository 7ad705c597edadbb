#pragma once

#include <functional>
#include <memory>
#include <string>

#include "studio/studio_site.h"

namespace pelt::studio {

/// A small HTTP/1.1 server for the page, on this machine's own address 127.0.0.1: one answer a connection.
class StudioServer {
public:
    /// Listens. Throws Error (system) if it cannot.
    StudioServer();
    ~StudioServer();
    StudioServer(const StudioServer&) = delete;
    StudioServer& operator=(const StudioServer&) = delete;

    /// "127.0.0.1:7358"
    std::string host() const;

    /// Answers until `stop` holds, which is looked at several times a second. Who connects and says nothing is dropped
    /// after a few seconds, or earlier if others wait for the place: idle connections lock nobody out.
    void serve(std::shared_ptr<const StudioSite> site, StudioAccess access, const std::function<bool()>& stop);

private:
    int listener_ = -1;
    int port_ = 0;
};

}  // namespace pelt::studio
