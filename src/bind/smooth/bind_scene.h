#pragma once

#include <array>

#include "bind/rigid/sight_labels.h"
#include "bind/skeleton/bind_joints.h"
#include "bind/skeleton/joint_tree.h"
#include "joint_words.h"
#include "reach.h"

namespace pelt::bind {

/// What the features of a joint are made from.
struct JointFacts {
    JointWord word = JointWord::plain;
    bool gone = false;    ///< the rules give it no skin
    bool inside = false;  ///< the mesh
    double radius = 0;    ///< of the skin around it, positive
    double length = 0;    ///< of its longest bone
    double spacing = 0;   ///< distance to the nearest other joint at another place
    bool shares_place = false;
    double region = 0;    ///< share of the surface that the rules give it
    double straight = 0;  ///< cosine of the angle between the bone that leads to it and its own
    std::uint32_t depth = 0;
    Vec3d across;  ///< to its mirror image, zero if it has none
};

/// A connected part of the mesh.
struct PieceFacts {
    Vec3d center;
    double size = 0;
    std::vector<std::pair<std::uint32_t, float>> shares;  ///< of its area by joint, as the rules have it
};

/// A mesh and its skeleton, measured once. Joints are those of `distinct`.
struct BindScene {
    BindSurface surface;
    DistinctJoints distinct;
    std::vector<SkinChoice> choices;
    JointTree tree;
    SightLabels labels;                   ///< its views are by joint
    std::vector<std::size_t> first_view;  ///< per joint, and one more
    std::vector<JointFacts> joints;
    std::vector<PieceFacts> pieces;
    ReachGraph graph;
    std::vector<double> areas;  ///< per welded vertex

    bool known() const { return !labels.joints.empty(); }
};

/// `known()` is false if no joint lies inside the mesh: then shape says nothing.
BindScene bindScene(const Mesh& mesh, const Skeleton& skeleton, const BindOptions& options, const Progress& progress);

}  // namespace pelt::bind
