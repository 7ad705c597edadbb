// The second version of meshopt's vertex format.
#include <gtest/gtest.h>
#include <pelt/core/error.h>

#include <algorithm>
#include <bit>

#include "glb_maker.h"

/// Version 1 of meshopt's vertex bitstream, packed here by what KHR_meshopt_compression says of it.
namespace pelt::io::test {
namespace {

using Packed = std::vector<std::uint8_t>;

std::uint8_t zigzag8(std::uint8_t v) { return static_cast<std::uint8_t>((v & 0x80) ? ~(v << 1) : v << 1); }
std::uint16_t zigzag16(std::uint16_t v) { return static_cast<std::uint16_t>((v & 0x8000) ? ~(v << 1) : v << 1); }

/// What is stored for one channel, four bytes, of an element after another.
std::uint32_t channelDelta(unsigned mode, std::uint32_t now, std::uint32_t before) {
    std::uint32_t out = 0;
    if ((mode & 15) == 2) return std::rotr(now ^ before, int(mode >> 4));
    const int width = (mode & 15) == 1 ? 16 : 8;
    for (int shift = 0; shift < 32; shift += width) {
        const std::uint32_t difference = (now >> shift) - (before >> shift);
        out |= (width == 16 ? std::uint32_t(zigzag16(static_cast<std::uint16_t>(difference)))
                            : zigzag8(static_cast<std::uint8_t>(difference)))
               << shift;
    }
    return out;
}

void packGroup(std::span<const std::uint8_t> deltas, unsigned bits, Packed& out) {
    if (bits == 0) return;
    if (bits == 8) return static_cast<void>(out.insert(out.end(), deltas.begin(), deltas.end()));
    const unsigned sentinel = (1U << bits) - 1, per_byte = 8 / bits;
    Packed whole;
    for (std::size_t i = 0; i < 16; i += per_byte) {
        unsigned byte = 0;
        for (unsigned k = 0; k < per_byte; ++k) {
            const unsigned d = deltas[i + k];
            if (d >= sentinel) whole.push_back(static_cast<std::uint8_t>(d));
            byte |= std::min(d, sentinel) << ((bits == 1 ? k : per_byte - 1 - k) * bits);
        }
        out.push_back(static_cast<std::uint8_t>(byte));
    }
    out.insert(out.end(), whole.begin(), whole.end());
}

void packBytes(std::vector<std::uint8_t> deltas, unsigned control, Packed& out) {
    constexpr unsigned kBits[2][4] = {{0, 1, 2, 4}, {1, 2, 4, 8}};
    if (control == 2) return;
    if (control == 3) return static_cast<void>(out.insert(out.end(), deltas.begin(), deltas.end()));
    deltas.resize((deltas.size() + 15) / 16 * 16);
    Packed heads((deltas.size() / 16 + 3) / 4), body;
    for (std::size_t g = 0; g < deltas.size() / 16; ++g) {
        const auto group = std::span(deltas).subspan(16 * g, 16);
        const unsigned most = *std::max_element(group.begin(), group.end());
        // As many bits as the largest needs, or by turns fewer, so that sentinels come up.
        unsigned choice = 0;
        while (choice < 3 && (kBits[control][choice] == 0 ? most > 0 : most >= (1U << kBits[control][choice]) - 1))
            ++choice;
        if (g % 3 == 1 && choice > 1) --choice;
        heads[g / 4] = static_cast<std::uint8_t>(heads[g / 4] | choice << (g % 4 * 2));
        packGroup(group, kBits[control][choice], body);
    }
    out.insert(out.end(), heads.begin(), heads.end());
    out.insert(out.end(), body.begin(), body.end());
}

/// `control`: wished for all bytes; what does not fit a byte's deltas is replaced.
Packed packVersion1(std::span<const std::uint32_t> words, std::size_t channels, unsigned mode, unsigned control) {
    const std::size_t stride = 4 * channels, count = words.size() / channels;
    const std::size_t block = std::min<std::size_t>(8192 / stride & ~std::size_t(15), 256);
    Packed out{0xa1};
    const auto at = [&](std::size_t element, std::size_t channel) { return words[element * channels + channel]; };
    for (std::size_t first = 0; first < count; first += block) {
        const std::size_t here = std::min(block, count - first);
        Packed controls(channels), data;
        for (std::size_t c = 0; c < channels; ++c)
            for (unsigned k = 0; k < 4; ++k) {
                std::vector<std::uint8_t> deltas;
                for (std::size_t i = first; i < first + here; ++i)
                    deltas.push_back(
                        static_cast<std::uint8_t>(channelDelta(mode, at(i, c), at(i > 0 ? i - 1 : 0, c)) >> (8 * k)));
                const bool zeros = std::all_of(deltas.begin(), deltas.end(), [](std::uint8_t d) { return d == 0; });
                const unsigned chosen = control == 2 && !zeros ? 3 : control;
                controls[c] = static_cast<std::uint8_t>(controls[c] | chosen << (2 * k));
                packBytes(deltas, chosen, data);
            }
        out.insert(out.end(), controls.begin(), controls.end());
        out.insert(out.end(), data.begin(), data.end());
    }
    out.resize(out.size() + (stride + channels < 24 ? 24 - stride - channels : 0));
    for (std::size_t c = 0; c < channels; ++c)
        for (int k = 0; k < 4; ++k) out.push_back(static_cast<std::uint8_t>(at(0, c) >> (8 * k)));
    out.insert(out.end(), channels, static_cast<std::uint8_t>(mode));
    return out;
}

/// A long strip whose positions are packed so.
GlbMaker packedStrip(unsigned mode, unsigned control) {
    GlbMaker maker = makeStrip(151);
    const std::vector<Vec3f> positions = maker.load().mesh.positions;
    std::vector<std::uint32_t> words(positions.size() * 3);
    std::memcpy(words.data(), positions.data(), words.size() * 4);
    const Packed packed = packVersion1(words, 3, mode, control);
    const std::size_t view = maker.addView(packed);
    Json& json = maker.json["bufferViews"][view];
    const Json extension = {{"buffer", 0},      {"byteOffset", json["byteOffset"]}, {"byteLength", packed.size()},
                            {"byteStride", 12}, {"count", positions.size()},        {"mode", "ATTRIBUTES"}};
    json = {{"buffer", 1}, {"byteLength", positions.size() * 12}, {"byteStride", 12}};
    json["extensions"] = {{"KHR_meshopt_compression", extension}};
    maker.json["accessors"][0]["bufferView"] = view;
    maker.json["buffers"] = Json::array({Json::object(), {{"byteLength", positions.size() * 12}}});
    maker.json["extensionsRequired"] = {"KHR_meshopt_compression"};
    return maker;
}

TEST(GltfMeshoptVersion1, EveryModeGivesTheNumbersBack) {
    const Character plain = makeStrip(151).load();
    for (const unsigned mode : {0U, 1U, 2U, 0x52U})
        for (const unsigned control : {0U, 1U, 2U, 3U}) {
            SCOPED_TRACE(testing::Message() << mode << ' ' << control);
            expectEqual(packedStrip(mode, control).load(), plain);
        }
}

TEST(GltfMeshoptVersion1, BrokenDataIsRefused) {
    const GlbMaker good = packedStrip(0, 1);
    for (const int fault : {0, 1, 2}) {
        GlbMaker maker = good;
        Json& view = maker.json["bufferViews"][maker.json["accessors"][0]["bufferView"].get<std::size_t>()];
        Json& extension = view["extensions"]["KHR_meshopt_compression"];
        if (fault == 0) extension["byteLength"] = extension["byteLength"].get<int>() - 1;
        if (fault == 1) extension["count"] = 1000;
        if (fault == 2) maker.binary.back() = std::byte{7};
        try {
            maker.load();
            ADD_FAILURE() << fault;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::bad_input);
        }
    }
}

}  // namespace
}  // namespace pelt::io::test
