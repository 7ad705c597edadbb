#include <fmt/format.h>
#include <pelt/version.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>

#include "documents.h"
#include "handles.h"
#include "text.h"

namespace pelt::c {
namespace {

thread_local std::string last_message;

pelt_status failed(pelt_status status, const char* message) noexcept {
    try {
        last_message = message;
    } catch (...) {
        last_message.clear();
    }
    return status;
}

pelt_status statusOf(ErrorCode code) {
    switch (code) {
        case ErrorCode::bad_usage:
            return PELT_BAD_USAGE;
        case ErrorCode::bad_input:
            return PELT_BAD_INPUT;
        case ErrorCode::gate:
            return PELT_GATE;
        case ErrorCode::cancelled:
            return PELT_CANCELLED;
        case ErrorCode::system:
            break;
    }
    return PELT_SYSTEM;
}

/// The sentence as the program would print it; documents in memory have no name that a user knows.
std::string lineOf(const Error& error) {
    const std::string file = cli::isInMemory(error.file()) ? "" : error.file();
    return cli::oneLine(
        Error(error.code(), ErrorPlace{file, error.subject()}, cli::withFlags(error.sentence())).what());
}

}  // namespace

pelt_status caught() noexcept {
    try {
        throw;
    } catch (const Error& error) {
        try {
            return failed(statusOf(error.code()), lineOf(error).c_str());
        } catch (...) {
            return failed(statusOf(error.code()), error.what());
        }
    } catch (const std::bad_alloc&) {
        return failed(PELT_SYSTEM, "not enough memory");
    } catch (const std::exception& error) {
        return failed(PELT_SYSTEM, error.what());
    } catch (...) {
        return failed(PELT_SYSTEM, "an unknown fault");
    }
}

void need(const void* value, const char* name) {
    if (!value) throw Error::badUsage(fmt::format("{} is null", name));
}

Progress::Callback callbackOf(const pelt_call* call) {
    if (!call || call->size < offsetof(pelt_call, user) + sizeof(void*) || !call->progress) return {};
    return [call](std::string_view stage, double fraction) {
        return call->progress(call->user, std::string(stage).c_str(), fraction) != 0;
    };
}

Progress progressOf(const pelt_call* call) { return Progress(callbackOf(call)); }

int threadsOf(const pelt_call* call) {
    return call && call->size >= offsetof(pelt_call, threads) + sizeof(int) ? call->threads : 0;
}

void readMatrices(const float* matrices, std::size_t count, const char* name, std::vector<Affine3f>& out) {
    out.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        const float* m = matrices + 16 * i;
        for (int k = 0; k < 16; ++k)
            if (!std::isfinite(m[k]))
                throw Error::badInput(fmt::format("{}: matrix {} has a number that is not finite", name, i));
        if (m[3] != 0 || m[7] != 0 || m[11] != 0 || m[15] != 1)
            throw Error::badInput(fmt::format(
                "{}: matrix {} is not affine: its last row must be 0 0 0 1 (numbers go by columns)", name, i));
        std::memcpy(out[i].m, m, sizeof out[i].m);
    }
}

std::uint8_t* copied(std::span<const std::byte> bytes) {
    auto* out = static_cast<std::uint8_t*>(std::malloc(std::max<std::size_t>(bytes.size(), 1)));
    if (!out) throw std::bad_alloc();
    if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
    return out;
}

char* copied(const std::string& text) {
    return reinterpret_cast<char*>(copied(std::as_bytes(std::span(text.c_str(), text.size() + 1))));
}

}  // namespace pelt::c

const char* pelt_version(void) { return PELT_VERSION; }
const char* pelt_error_message(void) { return pelt::c::last_message.c_str(); }
void pelt_free(void* memory) { std::free(memory); }
