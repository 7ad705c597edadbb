#pragma once

#include <pelt/core/options.h>

/// The settings of Direct Delta Mush, as a user specifies them.
namespace pelt {

/// The weights of a mesh Laplacian's edges.
enum class LaplacianKind {
    uniform,    ///< w = 1 on every edge
    cotangent,  ///< w = max(0, (cot a + cot b) / 2), a and b the angles opposite to the edge
};
template <>
inline constexpr std::string_view kEnumWords<LaplacianKind>[] = {"uniform", "cotangent"};

/// The steps of smoothing.
enum class SmoothingKind { implicit, explicit_ };
template <>
inline constexpr std::string_view kEnumWords<SmoothingKind>[] = {"implicit", "explicit"};

/// The weights that smoothing starts from: the heaviest joint of each vertex, or the weights as they are.
enum class DdmBind { rigid, keep };
template <>
inline constexpr std::string_view kEnumWords<DdmBind>[] = {"rigid", "keep"};

/// A factor for each vertex.
struct DdmMap {
    enum class Kind {
        chosen,   ///< from the mesh
        uniform,  ///< 1
        radius,   ///< the distance from the bone, its maximum scaled to 1
        attribute,
    };
    Kind kind = Kind::chosen;
    std::string attribute;  ///< of the vertices, by name

    bool isChosen() const { return kind == Kind::chosen; }
    friend bool operator==(const DdmMap&, const DdmMap&) = default;
};
/// "uniform", "radius", or the name of an attribute; empty: chosen.
bool readText(const std::string& text, DdmMap& map);
std::string textOf(const DdmMap& map);

struct JointAlpha {
    std::string joint;
    double alpha = 0;

    friend bool operator==(const JointAlpha&, const JointAlpha&) = default;
};
/// JOINT=a
bool readText(const std::string& text, JointAlpha& value);

/// Fields that are not set are chosen from the mesh.
struct DdmSettings {
    std::optional<int> iterations;               ///< p
    std::optional<double> lambda, kappa, alpha;  ///< λ, κ, α
    LaplacianKind laplacian = LaplacianKind::cotangent;
    SmoothingKind smoothing = SmoothingKind::implicit;
    DdmMap lambda_map, kappa_map, alpha_map;
    std::vector<JointAlpha> joint_alpha;
    bool connect_parts = true;
    std::vector<std::string> exclude;  ///< parts or materials that keep their bind
    DdmBind bind = DdmBind::rigid;
    std::optional<int> influences;  ///< maximal number of joints per vertex; 0: all; not set: chosen by error
    float weld = 0;                 ///< vertices within this distance are treated as one
    /// Names of the only joints that vertices may be bound to, and of joints that no vertex may be bound to. Not stored
    /// in files.
    std::vector<std::string> joints, exclude_joints;

    friend bool operator==(const DdmSettings&, const DdmSettings&) = default;
};

using DdmField = OptionField<DdmSettings, std::optional<int>, std::optional<double>, LaplacianKind, SmoothingKind,
                             DdmBind, DdmMap, std::vector<JointAlpha>, bool, std::vector<std::string>, float>;

/// All fields, in the order of files, help and reports.
std::span<const DdmField> ddmFields();

}  // namespace pelt
