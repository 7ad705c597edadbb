#pragma once

#include <pelt/core/ddm_payload.h>
#include <pelt/core/progress.h>
#include <pelt/deform/packed_rig.h>
#include <pelt/rig/character.h>

#include <memory>
#include <span>
#include <string_view>

namespace pelt::pipeline {

/// A deformer bound to one character: a pose is set, then ranges of vertices are evaluated, from any threads.
class Deformer {
public:
    virtual ~Deformer() = default;
    virtual void setPose(std::span<const Affine3f> bones) = 0;
    virtual void evaluate(const deform::RestShape& rest, std::size_t first, std::size_t count,
                          const deform::Output& out) const noexcept = 0;
    /// Unit directions along the surface, such as the tangents of a normal map, turned as the vertices turn. `scratch`
    /// is as large as the mesh and holds nothing of use afterwards.
    virtual void evaluateTangents(std::span<const Vec3f> rest, std::size_t first, std::size_t count,
                                  std::span<Vec3f> scratch, std::span<Vec3f> tangents) const noexcept {
        evaluate({{}, rest}, first, count, {scratch, tangents});
    }
    /// The rig as pelt/runtime takes it; empty for methods that it does not have.
    virtual std::span<const std::byte> rigBytes() const noexcept { return {}; }
};

/// What a user asks of a method beyond its name, by the names of Method::options. Those of Direct Delta Mush change the
/// settings that a mushed character stores, else the defaults; without them what it stores is evaluated as it is.
using MethodOptions = OptionTexts;

/// What callers may want to know of a method.
struct MethodTraits {
    bool linear = false;       ///< blends the joints' matrices by the character's own weights and does nothing else
    bool smooths = false;      ///< a Delta Mush: takes the options of ddmFields()
    bool stored_rows = false;  ///< evaluates the rows of Direct Delta Mush, which a mushed character stores
};

struct Method {
    std::string_view name;     ///< as the command line spells it
    std::string_view summary;  ///< one line for help
    MethodTraits traits;
    std::vector<OptionInfo> (*options)();  ///< those it takes
    std::unique_ptr<Deformer> (*prepare)(const Character& character, const MethodOptions& options,
                                         const Progress& progress);
};

/// Every deformation method, in the order help shows them.
std::span<const Method> methods();

/// Throws Error (bad usage) that lists the methods there are.
const Method& findMethod(std::string_view name);

/// Those of `options` that the method does not take.
std::vector<std::string> optionsNotOf(const Method& method, const MethodOptions& options);

}  // namespace pelt::pipeline
