#pragma once

#include <pelt/core/error.h>
#include <pelt/io/character_file.h>

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

/// A file loads or is refused; what loads can be written, and what was written can be read.
inline int readFbxAndWrite(const std::string& file) {
    using namespace pelt;
    Character character;
    try {
        character = io::loadBytes(std::as_bytes(std::span(file)), "fuzz.fbx").character;
    } catch (const Error&) {
        return 0;
    }
    std::vector<std::byte> written;
    try {
        written = io::toFbx(character);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) std::abort();
        return 0;
    }
    io::loadBytes(written, "again.fbx");
    return 0;
}
