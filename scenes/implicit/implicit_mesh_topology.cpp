// Half-edges: a mesh whose edges can be split, collapsed and flipped.
#include "implicit_mesh_topology.h"

#include <pelt/core/error.h>

#include <algorithm>
#include <array>

namespace pelt::scenes {

EditMesh::EditMesh(std::vector<Vec3d> positions, const std::vector<Triangle>& faces) : position(std::move(positions)) {
    from.reserve(faces.size() * 3);
    for (const Triangle& t : faces) from.insert(from.end(), t.begin(), t.end());
    twin.assign(from.size(), kNone);
    out.assign(position.size(), kNone);
    border.assign(position.size(), 0);

    // Half-edges sorted by their two ends, so that the two sides of an edge are adjacent.
    struct Side {
        std::uint32_t low, high, half_edge;
    };
    std::vector<Side> sides(from.size());
    for (std::uint32_t h = 0; h < from.size(); ++h) {
        sides[h] = {std::min(from[h], to(h)), std::max(from[h], to(h)), h};
    }
    std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
        return std::array{a.low, a.high, a.half_edge} < std::array{b.low, b.high, b.half_edge};
    });
    for (std::size_t i = 0; i + 1 < sides.size(); ++i) {
        const Side &a = sides[i], &b = sides[i + 1];
        if (a.low == b.low && a.high == b.high) glue(a.half_edge, b.half_edge);
    }
    for (std::uint32_t h = 0; h < from.size(); ++h) {
        if (twin[h] == kNone) border[from[h]] = 1;
        if (out[from[h]] == kNone || twin[h] == kNone) out[from[h]] = h;
    }
}

void EditMesh::glue(std::uint32_t a, std::uint32_t b) {
    if (a != kNone) twin[a] = b;
    if (b != kNone) twin[b] = a;
}

void EditMesh::setOut(std::uint32_t v, std::uint32_t h) {
    if (border[v]) {
        while (twin[h] != kNone) h = next(twin[h]);
    }
    out[v] = h;
}

void EditMesh::halfEdgesOf(std::uint32_t v, std::vector<std::uint32_t>& result) const {
    result.clear();
    std::uint32_t h = out[v];
    do {
        result.push_back(h);
        h = twin[prev(h)];
    } while (h != kNone && h != out[v]);
}

void EditMesh::neighborsOf(std::uint32_t v, std::vector<std::uint32_t>& result) const {
    result.clear();
    std::uint32_t h = out[v];
    while (true) {
        result.push_back(to(h));
        const std::uint32_t back = prev(h);
        if (twin[back] == kNone) result.push_back(from[back]);
        h = twin[back];
        if (h == kNone || h == out[v]) return;
    }
}

bool EditMesh::adjacent(std::uint32_t a, std::uint32_t b) const {
    neighborsOf(a, ring_a_);
    return std::find(ring_a_.begin(), ring_a_.end(), b) != ring_a_.end();
}

int EditMesh::valence(std::uint32_t v) const {
    neighborsOf(v, ring_a_);
    return static_cast<int>(ring_a_.size());
}

std::uint32_t EditMesh::split(std::uint32_t h0, const Vec3d& where) {
    const std::uint32_t h1 = next(h0), g0 = twin[h0];
    const std::uint32_t b = from[h1], c = tip(h0);
    const auto m = static_cast<std::uint32_t>(position.size());
    position.push_back(where);
    border.push_back(g0 == kNone);
    out.push_back(kNone);

    // (a, b, c) becomes (a, m, c) and (m, b, c).
    const auto n0 = static_cast<std::uint32_t>(from.size());
    const std::uint32_t beyond = twin[h1];
    from.insert(from.end(), {m, b, c});
    twin.insert(twin.end(), 3, kNone);
    from[h1] = m;
    glue(n0 + 1, beyond);
    if (beyond == kNone) twin[n0 + 1] = kNone;
    glue(h1, n0 + 2);

    if (g0 != kNone) {  // (b, a, d) becomes (m, a, d) and (b, m, d).
        const std::uint32_t g2 = prev(g0), d = from[g2];
        const std::uint32_t below = twin[g2];
        const std::uint32_t k0 = n0 + 3;
        from.insert(from.end(), {b, m, d});
        twin.insert(twin.end(), 3, kNone);
        from[g0] = m;
        glue(k0 + 2, below);
        if (below == kNone) twin[k0 + 2] = kNone;
        glue(k0 + 1, g2);
        glue(n0, k0);
        setOut(d, g2);
    }
    setOut(b, n0 + 1);
    setOut(c, prev(h0));
    setOut(m, n0);
    return m;
}

void EditMesh::flip(std::uint32_t h0) {
    const std::uint32_t h1 = next(h0), h2 = prev(h0), g0 = twin[h0], g1 = next(g0), g2 = prev(g0);
    const std::uint32_t a = from[h0], b = from[g0], c = from[h2], d = from[g2];
    const std::uint32_t above = twin[h1], below = twin[g1];
    from[h1] = d;  // (a, d, c)
    from[g1] = c;  // (b, c, d)
    twin[h0] = below;
    if (below != kNone) twin[below] = h0;
    twin[g0] = above;
    if (above != kNone) twin[above] = g0;
    glue(h1, g1);
    setOut(a, h0);
    setOut(b, g0);
    setOut(c, h2);
    setOut(d, g2);
}

bool EditMesh::canCollapse(std::uint32_t h) const {
    const std::uint32_t a = from[h], b = to(h), g = twin[h];
    if (border[a] && !border[b]) return false;               // the boundary must not move inward
    if (border[a] && border[b] && g != kNone) return false;  // two boundary segments would touch
    neighborsOf(a, ring_a_);
    neighborsOf(b, ring_b_);
    std::size_t common = 0;
    for (const std::uint32_t v : ring_a_) {
        if (v == b) continue;
        const bool shared = std::find(ring_b_.begin(), ring_b_.end(), v) != ring_b_.end();
        common += shared;
        if (!shared && !border[a] && border[b] && border[v]) return false;  // a chord of the boundary would appear
    }
    if (common != (g == kNone ? 1u : 2u)) return false;
    const auto enough = [&](std::uint32_t tip_vertex) { return valence(tip_vertex) > (border[tip_vertex] ? 3 : 4); };
    const std::size_t merged = ring_a_.size() + ring_b_.size();
    return merged >= 8 && enough(tip(h)) && (g == kNone || enough(tip(g)));
}

void EditMesh::removeTriangle(std::uint32_t h, std::uint32_t kept) {
    const std::uint32_t right = next(h), left = prev(h), c = from[left];
    const std::uint32_t above = twin[right], below = twin[left];
    if (above != kNone) twin[above] = below;
    if (below != kNone) twin[below] = above;
    // `above` is c -> kept and `below` is kept -> c: at least one of them exists.
    setOut(c, above != kNone ? above : next(below));
    setOut(kept, below != kNone ? below : next(above));
    from[h] = from[right] = from[left] = kNone;
}

void EditMesh::collapse(std::uint32_t h) {
    const std::uint32_t a = from[h], b = to(h), g = twin[h];
    std::vector<std::uint32_t> leaving;
    halfEdgesOf(a, leaving);
    for (const std::uint32_t e : leaving) from[e] = b;
    out[a] = kNone;
    removeTriangle(h, b);
    if (g != kNone) removeTriangle(g, b);
}

std::vector<std::uint32_t> EditMesh::compact() {
    const std::vector<Triangle> faces = triangles();
    std::vector<std::uint32_t> index(position.size(), kNone);
    std::vector<Vec3d> kept;
    for (std::uint32_t v = 0; v < position.size(); ++v) {
        if (out[v] == kNone) continue;
        index[v] = static_cast<std::uint32_t>(kept.size());
        kept.push_back(position[v]);
    }
    std::vector<Triangle> renumbered;
    renumbered.reserve(faces.size());
    for (const Triangle& t : faces) renumbered.push_back({index[t[0]], index[t[1]], index[t[2]]});
    *this = EditMesh(std::move(kept), renumbered);
    return index;
}

std::vector<Triangle> EditMesh::triangles() const {
    std::vector<Triangle> result;
    for (std::size_t h = 0; h < from.size(); h += 3) {
        if (from[h] != kNone) result.push_back({from[h], from[h + 1], from[h + 2]});
    }
    return result;
}

}  // namespace pelt::scenes
