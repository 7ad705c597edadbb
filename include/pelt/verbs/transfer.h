#pragma once

#include <pelt/bind/transfer.h>
#include <pelt/core/enum_words.h>
#include <pelt/rig/character.h>

namespace pelt::verbs {

/// Whose skeleton the result has.
enum class TransferSkeleton {
    given,     ///< that of the given skin: the mesh had none
    kept,      ///< the mesh's own: it has every joint that the skin uses, by name
    replaced,  ///< that of the given skin: the mesh's own lacks some of its joints
};

}  // namespace pelt::verbs

template <>
inline constexpr std::string_view pelt::kEnumWords<pelt::verbs::TransferSkeleton>[] = {"given", "kept", "replaced"};

namespace pelt::verbs {

struct TransferResult {
    Character character;
    bind::TransferredWeights transferred;  ///< joints are those of the given skin
    TransferSkeleton skeleton = TransferSkeleton::given;
    std::string missing_joint;  ///< if replaced: the first joint that was not found
};

/// The attribute that says how each vertex got its weights: 1 copied, 0.5 part of a rigid piece, 0 filled in.
inline constexpr const char* kConfidence = "_CONFIDENCE";

/// Gives `to` the skin of `from` (fit/transfer.h), with the attribute kConfidence. A bare mesh, or one whose skeleton
/// lacks joints that the skin uses, gets skeleton, clips and driven joints of `from`; its props become part of the
/// mesh. Otherwise `to` keeps its skeleton and its clips; if it has none, those of `from` are added. A Direct Delta
/// Mush payload of `to` is dropped, because it was made from another skin. Throws Error as transferWeights does, and
/// (bad input) if `from` has no skin.
TransferResult transfer(const Character& from, const Character& to, const bind::TransferOptions& options = {},
                        const Progress& progress = {});

}  // namespace pelt::verbs
