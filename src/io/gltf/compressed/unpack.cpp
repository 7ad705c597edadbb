// Requests to decompress mesh data and their answers, as bytes between two processes.
#include "unpack.h"

#include <cstring>
#include <new>
#include <stdexcept>

namespace pelt::io::gltf {
namespace {

class ByteWriter {
public:
    void number(std::uint64_t value) { bytes(std::as_bytes(std::span(&value, 1))); }
    void block(std::span<const std::byte> block) {
        number(block.size());
        bytes(block);
    }
    std::vector<std::byte> take() { return std::move(out_); }

private:
    void bytes(std::span<const std::byte> more) { out_.insert(out_.end(), more.begin(), more.end()); }
    std::vector<std::byte> out_;
};

/// The input is not trusted: reading beyond its end gives zero and makes the result invalid.
class ByteReader {
public:
    explicit ByteReader(std::span<const std::byte> bytes) : left_(bytes) {}

    std::uint64_t number() {
        std::uint64_t value = 0;
        const std::span<const std::byte> bytes = take(sizeof value);
        if (good_) std::memcpy(&value, bytes.data(), sizeof value);
        return value;
    }
    std::span<const std::byte> block() { return take(number()); }
    std::string text() {
        const std::span<const std::byte> bytes = block();
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
    /// A count of items of at least `bytes` each.
    std::size_t count(std::size_t bytes) {
        const std::uint64_t n = number();
        if (n > left_.size() / bytes) good_ = false;
        return good_ ? n : 0;
    }
    bool wholeAndEmpty() const { return good_ && left_.empty(); }

private:
    std::span<const std::byte> take(std::uint64_t size) {
        if (size > left_.size()) good_ = false;
        if (!good_) return {};
        const std::span<const std::byte> front = left_.first(size);
        left_ = left_.subspan(size);
        return front;
    }
    std::span<const std::byte> left_;
    bool good_ = true;
};

std::span<const std::byte> bytesOf(const std::string& text) { return std::as_bytes(std::span(text)); }

}  // namespace

UnpackAnswer unpackHere(const UnpackRequest& request) {
    try {
        return request.kind == UnpackRequest::Kind::draco ? unpackDracoHere(request) : unpackMeshoptHere(request);
    } catch (const std::bad_alloc&) {
        return {UnpackFault::memory, 0, {}, {}};
    } catch (const std::length_error&) {
        return {UnpackFault::memory, 0, {}, {}};
    }
}

std::vector<std::byte> toBytes(const UnpackRequest& request) {
    ByteWriter out;
    out.number(static_cast<std::uint64_t>(request.kind));
    out.block(bytesOf(request.mode));
    out.block(bytesOf(request.filter));
    out.number(request.count);
    out.number(request.stride);
    out.number(request.wishes.size());
    for (const DracoWish& wish : request.wishes)
        for (const std::uint32_t part : {wish.id, wish.component_type, wish.width}) out.number(part);
    out.block(request.packed);
    return out.take();
}

std::optional<UnpackRequest> requestFrom(std::span<const std::byte> bytes) {
    ByteReader in(bytes);
    UnpackRequest request;
    request.kind = in.number() == 0 ? UnpackRequest::Kind::meshopt : UnpackRequest::Kind::draco;
    request.mode = in.text();
    request.filter = in.text();
    request.count = in.number();
    request.stride = in.number();
    request.wishes.resize(in.count(3 * sizeof(std::uint64_t)));
    for (DracoWish& wish : request.wishes)
        for (std::uint32_t* part : {&wish.id, &wish.component_type, &wish.width})
            *part = static_cast<std::uint32_t>(in.number());
    request.packed = in.block();
    return in.wholeAndEmpty() ? std::optional(std::move(request)) : std::nullopt;
}

std::vector<std::byte> toBytes(const UnpackAnswer& answer) {
    ByteWriter out;
    out.number(static_cast<std::uint64_t>(answer.fault));
    out.number(answer.count);
    out.block(std::as_bytes(std::span(answer.indices)));
    out.number(answer.arrays.size());
    for (const std::vector<std::byte>& array : answer.arrays) out.block(array);
    return out.take();
}

std::optional<UnpackAnswer> answerFrom(std::span<const std::byte> bytes) {
    ByteReader in(bytes);
    UnpackAnswer answer;
    const std::uint64_t fault = in.number();
    if (fault > static_cast<std::uint64_t>(UnpackFault::too_slow)) return std::nullopt;
    answer.fault = static_cast<UnpackFault>(fault);
    answer.count = in.number();
    const std::span<const std::byte> indices = in.block();
    if (indices.size() % sizeof(std::uint32_t) != 0) return std::nullopt;
    answer.indices.resize(indices.size() / sizeof(std::uint32_t));
    if (!indices.empty()) std::memcpy(answer.indices.data(), indices.data(), indices.size());
    answer.arrays.resize(in.count(sizeof(std::uint64_t)));
    for (std::vector<std::byte>& array : answer.arrays) {
        const std::span<const std::byte> block = in.block();
        array.assign(block.begin(), block.end());
    }
    return in.wholeAndEmpty() ? std::optional(std::move(answer)) : std::nullopt;
}

}  // namespace pelt::io::gltf
