#pragma once

#include <pelt/pipeline/sampling.h>

#include "number_checks.h"
#include "session.h"

namespace pelt::cli {

// One file each. A verb adds itself to the program; its work runs while the command line is parsed.
void addInfo(CLI::App& app, Session& session);
void addSample(CLI::App& app, Session& session);
void addBind(CLI::App& app, Session& session);
void addTransfer(CLI::App& app, Session& session);
void addLod(CLI::App& app, Session& session);
void addMush(CLI::App& app, Session& session);
void addDeform(CLI::App& app, Session& session);
void addBake(CLI::App& app, Session& session);
void addClean(CLI::App& app, Session& session);
void addLimit(CLI::App& app, Session& session);
void addMirror(CLI::App& app, Session& session);
void addPack(CLI::App& app, Session& session);
void addFit(CLI::App& app, Session& session);
void addDecompose(CLI::App& app, Session& session);
void addPose(CLI::App& app, Session& session);
void addCompare(CLI::App& app, Session& session);
void addRender(CLI::App& app, Session& session);
void addStudio(CLI::App& app, Session& session);
void addBatch(CLI::App& app, Session& session);

/// --clips: other files whose clips are added to characters.
void addClipsOption(CLI::App& verb, Session& session);
/// --no-props: characters without the meshes attached to their nodes.
void addPropsOption(CLI::App& verb, Session& session);

/// --clip, --clips, --fps and --bind-pose; --frames as well if a whole sequence is sampled.
void addSamplingOptions(CLI::App& verb, Session& session, pipeline::Sampling& sampling, bool with_frames);
/// --limits, of the range of motion that --clip @range plays.
void addLimitsOption(CLI::App& verb, Session& session);

/// -o, required.
CLI::Option* addOutputOption(CLI::App& verb, std::filesystem::path& output, const std::string& what);

std::vector<std::string> methodNames();

/// Opens a sequence or samples a character, with its own clips or added ones; warnings go to the session.
std::unique_ptr<MeshSequence> openSequence(Session& session, const std::filesystem::path& path,
                                           const pipeline::Sampling& sampling,
                                           const std::optional<std::filesystem::path>& mesh, bool lend_clips = true);

}  // namespace pelt::cli
