// What the functions of the C interface share: errors, messages, progress, copies for the caller.
#include <fmt/format.h>
#include <pelt/version.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>

#include "handles.h"
#include "verbs/run/text.h"

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

std::string lineOf(const Error& error) {
    const ErrorPlace place{error.file(), error.subject()};
    return verbs::oneLine(Error(error.code(), place, worded(error.sentence())).what());
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
        try {
            return failed(PELT_SYSTEM, verbs::plainWords(error).c_str());
        } catch (...) {
            return failed(PELT_SYSTEM, "not enough memory");
        }
    } catch (...) {
        return failed(PELT_SYSTEM, "an unknown fault");
    }
}

void need(const void* value, const char* name) {
    if (!value) throw Error::badUsage(fmt::format("{} is null", name));
}

std::string worded(std::string message) {
    std::erase(message, '`');
    return message;
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
