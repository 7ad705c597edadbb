#pragma once

#include <pelt/core/aligned_bytes.h>

#include "rig_bytes.h"

namespace pelt::runtime {

/// Writes the bytes of a rig. Added data must stay valid until it is finished.
template <class Header>
class RigWriter {
public:
    template <class T, class Items>
    void add(ArrayAt<T>& array, const Items& items) {
        const std::span<const T> from(items);
        array = {size_, from.size()};
        parts_.push_back({size_, std::as_bytes(from)});
        size_ += roundUpToRig(from.size_bytes());
    }

    AlignedBytes finish(Header& header, RigKind kind) const {
        std::memcpy(header.rig.magic, kRigMagic, sizeof kRigMagic);
        header.rig.endianness = kSameEndianness;
        header.rig.version = kRigVersion;
        header.rig.kind = kind;
        header.rig.size = size_;
        AlignedBytes bytes(size_);
        std::memcpy(bytes.data(), &header, sizeof header);
        for (const Part& part : parts_)
            if (!part.bytes.empty()) std::memcpy(bytes.data() + part.offset, part.bytes.data(), part.bytes.size());
        return bytes;
    }

private:
    struct Part {
        std::size_t offset;
        std::span<const std::byte> bytes;
    };
    std::vector<Part> parts_;
    std::size_t size_ = roundUpToRig(sizeof(Header));
};

}  // namespace pelt::runtime
