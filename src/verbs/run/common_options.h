#pragma once

#include <pelt/methods/sampling.h>
#include <pelt/verbs/verb.h>

/// Inputs and options that several verbs have.
namespace pelt::verbs {

/// Headings of help texts, in their order; each method has one of its own between frames and other options.
inline constexpr std::string_view kCommon = "Common options", kFrames = "Clips and frames",
                                  kDdmGroup = "Direct Delta Mush", kOther = "Other options";

Input characterInput(std::string_view summary =
                         "A character: .glb .gltf .vrm .fbx .dae, or - for .glb on standard "
                         "input");
Input clipsInput();
/// How far joints bend in the range of motion.
Input limitsInput(std::string_view summary =
                      "How far joints bend and twist in the range of motion; the format is that "
                      "of bake --limits");
Input meshInput(std::string_view summary = "A mesh that provides the faces of a sequence without faces");
Output characterOutput(std::string_view summary =
                           "The character to write, .glb, .gltf or .fbx, or - for .glb on standard "
                           "output");

/// Clip, frames per second and, where a whole sequence is sampled, the frames.
OptionTable<methods::Sampling> samplingRows(bool with_frames = true, bool with_bind_pose = true);
/// Reads them. Throws Error (bad usage) for options that exclude each other.
methods::Sampling readSampling(const Run& run, const OptionTable<methods::Sampling>& rows);

struct PropsOption {
    bool no_props = false;
};
OptionTable<PropsOption> propsRows();

/// The options of Direct Delta Mush, then those of every other method, each under its name; without those that `own`
/// has.
std::vector<OptionInfo> methodInfos(const std::vector<OptionInfo>& own);
/// The options of one table under a heading, without those that `own` has.
std::vector<OptionInfo> grouped(std::vector<OptionInfo> infos, std::string_view group,
                                const std::vector<OptionInfo>& own = {});
/// The same rows, those of these names as common options.
std::vector<OptionInfo> common(std::vector<OptionInfo> infos, std::initializer_list<std::string_view> names);
/// "lbs", "dqs" …
std::span<const std::string_view> methodNames();
bool isMethod(std::string_view word);

/// Meshes in memory for an option that takes a method or a sequence.
Input meshesInput(std::string_view name, std::string_view summary);
/// The meshes that such an option, or the input of its name, gives, without props; null if `value` is a method. Throws
/// Error (bad usage) if both are given, or for a word that is neither a method nor a file.
std::unique_ptr<MeshSequence> givenMeshes(Run& run, const std::string& name, const std::string& value,
                                          const Character& character);
/// The meshes that the method shall work on (`base`), which are then no longer among its options; null: there are none.
std::unique_ptr<MeshSequence> baseMeshes(Run& run, const methods::Method& method, const Character& character,
                                         methods::MethodOptions& options);

}  // namespace pelt::verbs
