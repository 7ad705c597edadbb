#pragma once

#include <pelt/core/enum_words.h>
#include <pelt/measure/skin_poses.h>

#include <optional>
#include <string>

/// What is wrong with a skin, as an artist would point at it.
namespace pelt::measure {

enum class Flaw {
    bleed,       ///< vertices follow a joint far from them
    torn,        ///< copies of one point at a seam are weighted differently
    piece,       ///< a loose piece does not follow what it sits on
    noise,       ///< weights that jump between neighbors
    crease,      ///< a hard fold: weights change from one joint to the other within one edge
    collapse,    ///< volume lost at a bend or twist
    bulge,       ///< volume gained
    stretch,     ///< edges much longer than the body would make them
    flip,        ///< faces turned inside out
    poke,        ///< a layer passes through another one
    unweighted,  ///< vertices on the root that belong elsewhere
    swapped,     ///< left and right exchanged
    asymmetry,   ///< a symmetric character whose skin is not
    unused,      ///< a joint that ought to carry skin and carries none
    limits,      ///< more influences or joints than an engine takes
    structure,   ///< what the loader had to mend
};

enum class Severity { note, warning, fault };

}  // namespace pelt::measure

namespace pelt {

template <>
inline constexpr std::string_view kEnumWords<measure::Flaw>[] = {
    "bleed", "torn", "piece",      "noise",   "crease",    "collapse", "bulge",  "stretch",
    "flip",  "poke", "unweighted", "swapped", "asymmetry", "unused",   "limits", "structure"};
template <>
inline constexpr std::string_view kEnumWords<measure::Severity>[] = {"note", "warning", "fault"};

}  // namespace pelt

namespace pelt::measure {

/// Rows that vertices of a finding might have instead.
struct Remedy {
    std::string_view by;  ///< how they were made: "neighbors", "mirror", "seat" …
    SkinWeights rows;     ///< one per vertex of the finding
};

/// One place where the skin is wrong.
struct Finding {
    Flaw flaw = Flaw::structure;
    Severity severity = Severity::note;
    std::int32_t joint = -1, other = -1;  ///< slots of joints, or -1: what the flaw is about, and what it is mixed with
    std::int32_t part = -1;               ///< of the mesh, or -1
    std::vector<std::uint32_t> vertices;  ///< of the mesh, ascending
    double share = 0;                     ///< of all points of the surface
    double value = 0, limit = 0;          ///< what was measured, and from where on it is a fault
    Severity most = Severity::fault;      ///< it is no more than this, whatever the value
    double moved = 0;                     ///< the largest displacement from what the body would do, over the diagonal
    std::optional<std::size_t> pose;      ///< where that is
    std::string detail = {};              ///< of `structure`: the sentence
    std::vector<Remedy> remedies = {};    ///< the most promising first
};

struct SkinCheck {
    double score = 100;             ///< 0 to 100
    std::vector<Finding> findings;  ///< the worst first
    std::vector<double> regions;    ///< per joint slot: the score of the points that follow it most
};

/// Judges the weights of a character and what they do in the poses. `reference` is what this body would do: any good
/// skin of the same mesh. The same input gives the same bytes on any number of threads. Throws Error (bad input) for a
/// character without joints, weights or faces; cancelled if `progress` requests it.
SkinCheck checkSkin(const Character& character, const SkinPoses& poses, const PoseShape& reference,
                    const Progress& progress = {});

/// The score that findings leave: every fault lowers it, the more the larger it is.
double scoreOf(std::span<const Finding> findings);

}  // namespace pelt::measure
