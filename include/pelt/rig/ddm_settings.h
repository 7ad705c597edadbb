#pragma once

#include <pelt/core/options.h>
#include <pelt/core/smoothing_kinds.h>

/// The settings of Direct Delta Mush, as a user specifies them.
namespace pelt {

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

/// The weights w' that translations follow ([LeLewis19] Eq. 11): the bind, smoothed by κ; the file's own weights; or a
/// blend of both by a vertex attribute, which is 0 for the bind and 1 for the file's weights.
struct DdmTranslations {
    enum class Kind { bind, file, attribute };
    Kind kind = Kind::bind;
    std::string attribute;

    friend bool operator==(const DdmTranslations&, const DdmTranslations&) = default;
};
/// "bind", "file", or the name of an attribute.
bool readText(const std::string& text, DdmTranslations& value);
std::string textOf(const DdmTranslations& value);

struct JointAlpha {
    std::string joint;
    double alpha = 0;

    friend bool operator==(const JointAlpha&, const JointAlpha&) = default;
};
/// JOINT=a
bool readText(const std::string& text, JointAlpha& value);

inline constexpr int kMostIterations = 10000;

/// Fields that are not set are chosen from the mesh.
struct DdmSettings {
    std::optional<int> iterations;               ///< p, at most kMostIterations
    std::optional<int> kappa_iterations;         ///< p of κ; not set: as many
    std::optional<double> lambda, kappa, alpha;  ///< λ, κ, α
    DdmTranslations translations;
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

using DdmField =
    OptionField<DdmSettings, std::optional<int>, std::optional<double>, LaplacianKind, SmoothingKind, DdmBind, DdmMap,
                DdmTranslations, std::vector<JointAlpha>, bool, std::vector<std::string>, float>;

/// All fields, in the order of files, help and reports.
std::span<const DdmField> ddmFields();

}  // namespace pelt
