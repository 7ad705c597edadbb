// Chooses the joint of each vertex with which its sum of matrices starts, few per block.
#include "lbs_bases.h"

#include <algorithm>
#include <bit>
#include <map>

namespace pelt::deform {
namespace {

/// One vertex's weights where they are not 0, in a block's order of joints.
struct Influences {
    const InfluenceBlocks& blocks;
    std::size_t entry, end, lane;

    Influences(const InfluenceBlocks& b, std::size_t vertex)
        : blocks(b), entry(b.offsets[vertex / kLanes]), end(b.offsets[vertex / kLanes + 1]), lane(vertex % kLanes) {
        skipZeros();
    }
    bool atEnd() const { return entry == end; }
    void next() {
        ++entry;
        skipZeros();
    }
    std::uint32_t joint() const { return blocks.joints[entry]; }
    std::uint32_t weight() const { return std::bit_cast<std::uint32_t>(blocks.rows[entry].lane[lane]); }

private:
    void skipZeros() {
        while (entry != end && blocks.rows[entry].lane[lane] == 0) ++entry;
    }
};

/// A vertex and a hash of its influences.
struct Hashed {
    std::uint64_t hash;
    std::uint32_t vertex;
};

std::vector<Hashed> hashAll(const InfluenceBlocks& blocks) {
    std::vector<Hashed> all(blocks.vertex_count);
    for (std::uint32_t v = 0; v < all.size(); ++v) {
        std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a, by words
        for (Influences i(blocks, v); !i.atEnd(); i.next())
            hash = ((hash ^ i.joint()) * 0x100000001b3u ^ i.weight()) * 0x100000001b3u;
        all[v] = {hash, v};
    }
    return all;
}

/// Negative, 0 or positive if a's influences come before, are equal to or come after b's.
int compare(const InfluenceBlocks& blocks, std::size_t a, std::size_t b) {
    Influences i(blocks, a), j(blocks, b);
    for (; !i.atEnd() && !j.atEnd(); i.next(), j.next()) {
        if (i.joint() != j.joint()) return i.joint() < j.joint() ? -1 : 1;
        if (i.weight() != j.weight()) return i.weight() < j.weight() ? -1 : 1;
    }
    return int(j.atEnd()) - int(i.atEnd());
}

/// Covers a block's vertices with its joints (greedy set cover): each step takes the joint that most uncovered vertices
/// have; on ties `favourite`, then the lowest.
void coverBlock(const InfluenceBlocks& blocks, std::size_t block, std::uint32_t favourite,
                std::vector<std::uint32_t>& bases) {
    const std::size_t first = block * kLanes, count = std::min(kLanes, blocks.vertex_count - first);
    for (std::uint32_t open = (1u << count) - 1; open != 0;) {
        std::uint32_t best = 0, best_lanes = 0;
        for (std::uint32_t e = blocks.offsets[block]; e < blocks.offsets[block + 1]; ++e) {
            std::uint32_t lanes = 0;
            for (std::size_t l = 0; l < count; ++l) lanes |= std::uint32_t(blocks.rows[e].lane[l] != 0) << l;
            const int more = std::popcount(lanes & open) - std::popcount(best_lanes);
            if (more > 0 || (more == 0 && blocks.joints[e] == favourite)) {
                best = blocks.joints[e];
                best_lanes = lanes & open;
            }
        }
        for (std::size_t l = 0; l < count; ++l)
            if (best_lanes >> l & 1) bases[first + l] = best;
        open &= ~best_lanes;
    }
}

/// Gives vertices with equal influences the base that most of them have, the lowest on ties.
void agree(const InfluenceBlocks& blocks, std::vector<std::uint32_t>& bases) {
    std::vector<Hashed> sorted = hashAll(blocks);
    std::sort(sorted.begin(), sorted.end(), [&](const Hashed& a, const Hashed& b) {
        return a.hash != b.hash ? a.hash < b.hash : compare(blocks, a.vertex, b.vertex) < 0;
    });
    for (auto first = sorted.begin(); first != sorted.end();) {
        const auto last = std::find_if(first, sorted.end(), [&](const Hashed& other) {
            return other.hash != first->hash || compare(blocks, other.vertex, first->vertex) != 0;
        });
        std::map<std::uint32_t, std::size_t> votes;
        for (auto i = first; i != last; ++i) ++votes[bases[i->vertex]];
        const auto most = std::max_element(votes.begin(), votes.end(),
                                           [](const auto& a, const auto& b) { return a.second < b.second; });
        for (auto i = first; i != last; ++i) bases[i->vertex] = most->first;
        first = last;
    }
}

}  // namespace

std::vector<std::uint32_t> chooseBases(const InfluenceBlocks& blocks) {
    std::vector<std::uint32_t> bases(blocks.vertex_count);
    for (std::size_t block = 0; block < blocks.blockCount(); ++block)
        coverBlock(blocks, block, block == 0 ? 0 : bases[block * kLanes - 1], bases);
    agree(blocks, bases);
    return bases;
}

}  // namespace pelt::deform
