#pragma once

#include <memory>
#include <vector>

#include "biped_field.h"

namespace pelt::scenes {

/// The biped's body as a tree of smoothly blended solids, and the joints that move each of them.
class BipedShape {
public:
    BipedShape();

    /// The field: negative inside. Symmetric in x.
    double value(const Vec3d& p) const;
    /// The joint that moves a point of the skin; on the plane x = 0, a middle joint.
    std::size_t joint(const Vec3d& p) const;
    /// The edge length for a mesh with edges of about `scale`: finer on hands, ears and face, and on thin parts at most
    /// a twelfth of the circumference, up to a scale of 15 mm.
    double edgeLength(const Vec3d& p, double scale) const;

    Vec3d low() const { return nodes_.back().low; }
    Vec3d high() const { return nodes_.back().high; }

private:
    /// A solid, or a group whose children are blended one after the other.
    struct Node {
        const Solid* solid = nullptr;  ///< null for a group
        std::vector<std::size_t> children;
        std::vector<std::size_t> chain;  ///< joints of a solid, from root to tip: each section starts at its joint
        double blend = 0;                ///< blend radius with the preceding solids
        bool carve = false;              ///< subtracts instead of adding
        bool mirrored = false;
        Vec3d low, high;
    };
    /// Skin near the segment a–b has edges of at most `density` times the scale, and at most `most`.
    struct Sizing {
        Vec3d a, b;
        double reach, density, most;
        double span = length(b - a);
    };
    struct Owner {
        double distance;
        std::size_t joint;
    };

    double nodeValue(std::size_t node, const Vec3d& p) const;
    void findOwner(std::size_t node, const Vec3d& p, bool middle, Owner& owner) const;

    std::size_t addSolid(std::unique_ptr<Solid> solid, double blend, const std::vector<const char*>& joints);
    std::size_t addCarving(std::unique_ptr<Solid> solid, double blend);
    std::size_t addGroup(double blend, const std::vector<std::size_t>& children);
    std::size_t addMirrored(std::size_t node);

    std::size_t torso();
    std::size_t neckAndHead();
    std::size_t head();
    std::size_t arm();
    std::size_t hand();
    std::size_t leg();
    std::size_t foot();
    void sizings();

    std::vector<std::unique_ptr<Solid>> solids_;
    std::vector<Node> nodes_;  ///< children before parents; the last one is the body
    std::vector<Sizing> sizings_;
};

}  // namespace pelt::scenes
