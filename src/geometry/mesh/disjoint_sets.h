#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace pelt::geometry {

/// Union-find whose root is always the lowest element of its set, so that results do not depend on the order of unions.
class DisjointSets {
public:
    explicit DisjointSets(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0u); }

    std::uint32_t root(std::uint32_t element) {
        while (parent_[element] != element) {
            parent_[element] = parent_[parent_[element]];
            element = parent_[element];
        }
        return element;
    }

    void join(std::uint32_t a, std::uint32_t b) {
        a = root(a);
        b = root(b);
        if (a > b) std::swap(a, b);
        parent_[b] = a;
    }

private:
    std::vector<std::uint32_t> parent_;
};

}  // namespace pelt::geometry
