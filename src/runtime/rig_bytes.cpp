// Checks the headers of packed rigs and finds rigs in a file.
#include "runtime/layout/rig_bytes.h"

#include <algorithm>

namespace pelt::runtime {
namespace {

bool isAligned(const std::byte* p) { return reinterpret_cast<std::uintptr_t>(p) % kRigAlignment == 0; }

}  // namespace

RigError checkRigStart(std::span<const std::byte> bytes) noexcept {
    if (bytes.empty()) return RigError::missing;
    if (bytes.size() < sizeof(RigHeader)) return RigError::too_short;
    if (!isAligned(bytes.data())) return RigError::misaligned;
    const auto& header = headerOf<RigHeader>(bytes);
    if (std::memcmp(header.magic, kRigMagic, sizeof kRigMagic) != 0) return RigError::not_a_rig;
    if (header.endianness == kOtherEndianness) return RigError::other_endianness;
    if (header.endianness != kSameEndianness) return RigError::damaged;
    if (header.version != kRigVersion) return RigError::other_version;
    if (header.size > bytes.size()) return RigError::too_short;
    if (header.size < sizeof(RigHeader) || header.size % kRigAlignment != 0) return RigError::damaged;
    return RigError::none;
}

RigError checkRigHeader(std::span<const std::byte> bytes, RigKind kind, std::size_t least) noexcept {
    const RigError error = checkRigStart(bytes);
    if (error != RigError::none) return error;
    const auto& header = headerOf<RigHeader>(bytes);
    if (header.kind != kind) return RigError::other_kind;
    return header.size < least ? RigError::damaged : RigError::none;
}

std::span<const std::byte> findRigOf(std::span<const std::byte> file, std::span<const RigKind> kinds) noexcept {
    while (checkRigStart(file) == RigError::none) {
        const auto& header = headerOf<RigHeader>(file);
        if (std::find(kinds.begin(), kinds.end(), header.kind) != kinds.end()) return file.first(header.size);
        file = file.subspan(header.size);
    }
    return file;
}

std::span<const std::byte> findRig(std::span<const std::byte> file, RigKind kind) noexcept {
    return findRigOf(file, {&kind, 1});
}

const char* describe(RigError error) noexcept {
    switch (error) {
        case RigError::none:
            return "nothing is wrong";
        case RigError::misaligned:
            return "the bytes do not start at a multiple of 64";
        case RigError::too_short:
            return "the rig is truncated";
        case RigError::not_a_rig:
            return "these bytes are not a packed rig";
        case RigError::other_endianness:
            return "the rig was packed on a machine with the other byte order";
        case RigError::other_version:
            return "the rig was packed by another version of Pelt";
        case RigError::other_kind:
            return "the rig is of another kind";
        case RigError::damaged:
            return "the rig is damaged";
        case RigError::missing:
            return "the file has no such rig";
    }
    return "unknown";
}

}  // namespace pelt::runtime
