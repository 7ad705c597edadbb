#pragma once

#include <pelt/core/progress.h>
#include <pelt/deform/packed_rig.h>
#include <pelt/rig/character.h>
#include <pelt/rig/ddm_payload.h>

#include <memory>
#include <span>
#include <string_view>

namespace pelt::methods {

/// A deformer bound to one character: a pose is set, then ranges of vertices are evaluated, from any threads.
class Deformer {
public:
    virtual ~Deformer() = default;
    virtual void setPose(std::span<const Affine3f> bones) = 0;
    /// The same over positions that something else deformed, one per vertex of the mesh, where `traits.over_others`;
    /// other methods ignore them.
    virtual void setPoseOver(std::span<const Affine3f> bones, std::span<const Vec3f>) { setPose(bones); }
    virtual void evaluate(const deform::RestShape& rest, std::size_t first, std::size_t count,
                          const deform::Output& out) const noexcept = 0;
    /// Unit directions along the surface, such as tangents for normal maps, rotated with the vertices. Both spans have
    /// one per vertex of the mesh.
    virtual void evaluateTangents(std::span<const Vec3f> rest, std::size_t first, std::size_t count,
                                  std::span<Vec3f> tangents) const noexcept;
    /// The rig as bytes for pelt/runtime; empty for methods that the run time does not have.
    virtual std::span<const std::byte> rigBytes() const noexcept { return {}; }
};

/// Options of a method by name (see Method::options). Options of Direct Delta Mush change the stored settings of a
/// mushed character, otherwise the defaults; without options, the stored data is evaluated.
using MethodOptions = OptionValues;

/// Properties of a method.
struct MethodTraits {
    bool linear = false;       ///< blends the joints' matrices with the character's own weights, nothing else
    bool smooths = false;      ///< a variant of Delta Mush, with the options of ddmFields()
    bool stored_rows = false;  ///< evaluates rows of Direct Delta Mush, as stored in a mushed character
    bool over_others = false;  ///< works on what another method makes, which the option `base` names
};

struct Method {
    std::string_view name;     ///< as on the command line
    std::string_view summary;  ///< one line for help
    MethodTraits traits;
    std::vector<OptionInfo> (*options)();  ///< the options of the method
    std::unique_ptr<Deformer> (*prepare)(const Character& character, const MethodOptions& options,
                                         const Progress& progress);
    /// Only where `traits.stored_rows`: the same of rows that were made before (ddmRows(), DdmTuning), and the numbers
    /// that they must have.
    std::unique_ptr<Deformer> (*of_rows)(const Character& character, const DdmRows<float>& rows) = nullptr;
    DdmContent (*content)(const Character& character) = nullptr;
};

/// All deformation methods, in the order of the help text.
std::span<const Method> all();

/// Throws Error (bad usage) with a list of the methods.
const Method& findMethod(std::string_view name);

/// Whether the method plays the fitted skin that the character stores: `ddm` without options. Such a method is prepared
/// from the character, not from rows.
bool playsFitted(const Character& character, const Method& method, const MethodOptions& options);

/// Those of `options` that the method does not take.
std::vector<std::string> optionsNotOf(const Method& method, const MethodOptions& options);

}  // namespace pelt::methods
