#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "glb_file.h"

/// Poses a skinned, morphed, animated .glb as specified by glTF 2.0, in double precision and independently of the
/// library: the shape that a viewer shows at the keys of an animation.
class GlbPlayer {
public:
    using Point = std::array<double, 3>;

    GlbPlayer(const GlbFile& file, std::size_t animation);

    /// The times of the keys, which all channels must share.
    const std::vector<float>& times() const { return times_; }
    std::vector<Point> pose(std::size_t key) const;

private:
    using Matrix = std::array<double, 16>;  ///< by columns

    Matrix local(std::size_t node, std::size_t key) const;
    Matrix world(std::size_t node, std::size_t key) const;
    std::vector<Point> morphed(std::size_t key) const;
    /// The key's values of the channel that animates `path` of `node`; empty if there is none.
    std::vector<double> keyed(std::size_t node, const char* path, std::size_t key) const;
    std::vector<unsigned> integers(std::size_t accessor) const;
    static Matrix product(const Matrix& a, const Matrix& b);

    const GlbFile& file_;
    const nlohmann::json& animation_;
    std::vector<int> parent_;
    std::size_t mesh_node_ = 0;
    std::vector<float> times_;
};
