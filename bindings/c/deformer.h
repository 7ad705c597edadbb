#pragma once

#include <pelt/geometry/weld.h>

#include <optional>

#include "handles.h"

/// A method prepared for a character, and the buffers that a pose goes through. Without joints there is no method:
/// morph targets alone move the mesh.
struct pelt_deformer {
    const pelt_character* character;
    std::unique_ptr<pelt::methods::Deformer> method;
    std::vector<pelt::Vec3f> rest_normals;               ///< of the whole mesh
    std::vector<pelt::Vec3f> other_rest, other_normals;  ///< in place of the character's own; empty: none, not computed
    std::optional<pelt::geometry::Weld> weld;            ///< for the normals of another rest
    std::vector<std::optional<pelt::Affine3f>> from_first;  ///< per slot, where it is not the first of its joint
    std::vector<pelt::Affine3f> prop_binds;  ///< per part of the props, from rest space to its joint's bind pose
    std::vector<pelt::Affine3f> joints, slots;

    // Of a moment of a clip (evaluateAt), filled when first needed:
    std::vector<pelt::Vec3f> morphed, morphed_normals, morphed_props, morphed_prop_normals, prop_normals;
    std::optional<pelt::geometry::Weld> skin_weld;

    void setPose(const float* matrices);
    void evaluateAt(const pelt::Clip* clip, double seconds, float* positions, float* normals);
    void wantNormals();
    std::span<const pelt::Vec3f> restPositions() const {
        return other_rest.empty() ? character->whole.positions : other_rest;
    }
    std::span<const pelt::Vec3f> restNormals() const { return other_rest.empty() ? rest_normals : other_normals; }
    void evaluate(std::size_t first, std::size_t count, float* positions, float* normals) const;
    void placeProps(float* positions, float* normals) const;

private:
    pelt::deform::RestShape morph(const pelt::Clip* clip, double seconds, bool want_normals);
    void placePropsAt(const pelt::Clip* clip, double seconds, std::span<pelt::Vec3f> positions,
                      std::span<pelt::Vec3f> normals);
};

namespace pelt::c {

/// `method` may be null where the character has no joints. The character must outlive the deformer.
std::unique_ptr<pelt_deformer> makeDeformer(const pelt_character& character, std::unique_ptr<methods::Deformer> method);

inline std::span<Vec3f> vectors(float* numbers, std::size_t count) {
    return numbers ? std::span(reinterpret_cast<Vec3f*>(numbers), count) : std::span<Vec3f>();
}

}  // namespace pelt::c
