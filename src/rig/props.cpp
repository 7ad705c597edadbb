// Places meshes without skin by the nodes that carry them.
#include <pelt/rig/props.h>

namespace pelt::rig {
namespace {

/// The map of normals: the inverse transpose, up to a positive factor.
Mat3d normalMap(const Affine3d& world) {
    const Mat3d map = cofactor(world.linear());
    return determinant(world.linear()) < 0 ? map * -1.0 : map;
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& more) {
    to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

std::size_t vertexCount(const Character& character) {
    return character.mesh.vertexCount() + character.props.mesh.vertexCount();
}

std::vector<Affine3d> nodeWorlds(const Character& character, const Clip* clip, double t) {
    const std::vector<Affine3d> locals = clip ? sampleDrivenLocals(character.skeleton, character.driven, clip, t)
                                              : sampleLocals(character.skeleton, nullptr, 0);
    std::vector<Affine3d> worlds(locals.size());
    worldTransforms(character.skeleton, locals, worlds);
    return worlds;
}

void placeProps(const Props& props, std::span<const Affine3d> worlds, const PropsShape& rest, const PlacedProps& out) {
    for (std::size_t p = 0; p < props.mesh.parts.size(); ++p) {
        const MeshPart& part = props.mesh.parts[p];
        const Affine3d& world = worlds[props.nodes[p]];
        const Mat3d turn = normalMap(world);
        for (std::size_t v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) {
            out.positions[v] = Vec3f(world * Vec3d(rest.positions[v]));
            if (!out.normals.empty()) out.normals[v] = Vec3f(normalized(turn * Vec3d(rest.normals[v]), Vec3d{0, 0, 1}));
            if (!out.tangents.empty())
                out.tangents[v] = Vec3f(normalized(world.linear() * Vec3d(rest.tangents[v]), Vec3d{1, 0, 0}));
        }
    }
}

Mesh wholeMesh(const Character& character) {
    const Mesh& props = character.props.mesh;
    Mesh whole = character.mesh;
    const auto first = static_cast<std::uint32_t>(whole.vertexCount());
    const auto first_triangle = static_cast<std::uint32_t>(whole.triangles.size());
    const std::size_t count = first + props.vertexCount();
    if (props.parts.empty()) return whole;
    if (whole.parts.empty()) whole.parts.push_back({"", "", 0, first, 0, first_triangle, 0});
    whole.positions.resize(count);
    const bool normals = !whole.normals.empty() && !props.normals.empty();
    whole.normals.resize(normals ? count : 0);
    whole.tangents.clear();
    placeProps(character.props, nodeWorlds(character, nullptr, 0), {props.positions, props.normals, {}},
               {std::span(whole.positions).subspan(first), std::span(whole.normals).subspan(normals ? first : 0), {}});
    if (!whole.uvs.empty() || !props.uvs.empty()) {
        whole.uvs.resize(first);
        append(whole.uvs, props.uvs);
        whole.uvs.resize(count);
    }
    for (VertexAttribute& attribute : whole.attributes) attribute.values.resize(count, 0.0F);
    for (const Triangle& t : props.triangles) whole.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
    for (MeshPart part : props.parts) {
        part.first_vertex += first;
        part.first_triangle += first_triangle;
        whole.parts.push_back(std::move(part));
    }
    return whole;
}

std::vector<std::int32_t> carriersOfProps(const Character& character) {
    const Skeleton& skeleton = character.skeleton;
    std::vector<std::int32_t> slot(skeleton.nodes.size(), -1), carriers;
    for (std::size_t j = skeleton.joints.size(); j-- > 0;) slot[skeleton.joints[j].node] = std::int32_t(j);
    for (const std::uint32_t from : character.props.nodes) {
        auto node = static_cast<std::int32_t>(from);
        while (node >= 0 && slot[std::size_t(node)] < 0) node = skeleton.nodes[std::size_t(node)].parent;
        carriers.push_back(node < 0 ? -1 : slot[std::size_t(node)]);
    }
    return carriers;
}

}  // namespace pelt::rig
