// What the inputs of a verb are: files, or what a program has in memory.
#include <fmt/format.h>
#include <pelt/io/character_file.h>
#include <pelt/io/mesh_file.h>
#include <pelt/methods/methods.h>
#include <pelt/rig/borrow_clips.h>
#include <pelt/rig/props.h>

#include "io/json/json_file.h"
#include "verbs/run/common_options.h"
#include "verbs/run/joint_limits.h"
#include "verbs/run/run.h"

namespace pelt::verbs {
namespace {

constexpr double kOtherRest = 30;  ///< degrees between rest rotations above which a clip of another file may be wrong

CharacterRef lent(const Character& character) { return {CharacterRef(), &character}; }

Character taken(const CharacterRef& loaded) {
    const bool shared = loaded.use_count() != 1;  // lent by the program, or held elsewhere
    return shared ? *loaded : std::move(const_cast<Character&>(*loaded));
}

std::span<const Vec3f> firstFrame(const Given& given) { return given.frames.first(given.vertex_count); }

Mesh meshOf(const Given& given) {
    Mesh mesh;
    const std::span<const Vec3f> positions = firstFrame(given);
    mesh.positions.assign(positions.begin(), positions.end());
    mesh.triangles.assign(given.triangles.begin(), given.triangles.end());
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        for (const std::uint32_t corner : mesh.triangles[t])
            if (corner >= given.vertex_count)
                throw Error::badInput(
                    fmt::format("triangles: triangle {} names vertex {} of {}", t, corner, given.vertex_count));
    return mesh;
}

/// Frames that a program lends during the call.
class LentFrames final : public MeshSequence {
public:
    LentFrames(const Given& given, std::optional<Mesh> mesh)
        : frames_(given.frames), vertices_(given.vertex_count), mesh_(std::move(mesh)) {
        if (!mesh_ && !given.triangles.empty()) mesh_ = meshOf(given);
    }

    std::size_t frameCount() const override { return frames_.size() / vertices_; }
    std::size_t vertexCount() const override { return vertices_; }
    void readFrame(std::size_t frame, std::span<Vec3f> out) override {
        const std::span<const Vec3f> from = frames_.subspan(frame * vertices_, vertices_);
        std::copy(from.begin(), from.end(), out.begin());
    }
    const Mesh* mesh() const override { return mesh_ ? &*mesh_ : nullptr; }

private:
    std::span<const Vec3f> frames_;
    std::size_t vertices_;
    std::optional<Mesh> mesh_;
};

std::unique_ptr<MeshSequence> singleFrame(Mesh mesh) {
    std::vector<Vec3f> positions = mesh.positions;
    const std::size_t vertices = positions.size();
    return makeSequence(std::move(positions), vertices, std::move(mesh));
}

/// Of a character with its props or, if only that matches, without.
Mesh meshOf(const Character& character, std::size_t vertices) {
    return character.mesh.vertexCount() == vertices ? character.mesh : rig::wholeMesh(character);
}

}  // namespace

FileKind Run::kindOf(const Given& given) {
    if (given.character) return FileKind::character;
    return given.isFile() ? fileKind(given.name) : FileKind::sequence;
}

CharacterRef Run::asItIs(const Given& given, std::vector<std::string>* warnings) {
    if (kindOf(given) != FileKind::character)
        throw Error::badInput({given.name}, "is not a character file (.glb .gltf .vrm .fbx .dae)");
    std::vector<std::string> repaired(given.warnings.begin(), given.warnings.end());
    CharacterRef character = given.character ? lent(*given.character) : aboutFile(given.name, [&] {
        io::Loaded loaded = io::loadCharacter(given.name, loadOptions(), progressPart("load", 0, 1));
        repaired = std::move(loaded.warnings);
        return std::make_shared<Character>(std::move(loaded.character));
    });
    if (warnings) *warnings = std::move(repaired);
    if (!read(propsRows()).no_props || character->props.mesh.positions.empty()) return character;
    Character without = *character;
    without.props = {};
    return std::make_shared<Character>(std::move(without));
}

CharacterRef Run::characterOf(const Given& given, const std::optional<std::string>& clip, bool lend_clips) {
    std::vector<std::string> mended;
    CharacterRef character = asItIs(given, &mended);
    if (character->mesh.positions.empty())
        throw Error::badInput({given.name}, "has no mesh; use its clips with another character: `clips`");
    for (const std::string& message : mended) warn(given.name, message);
    const std::vector<Given>& clips = allGiven("clips");
    const bool borrows = lend_clips && !clips.empty(), ranges = clip == rig::kRangeClip;
    if (!borrows && !ranges) return character;
    Character own = *character;
    if (borrows)
        for (auto from = clips.rbegin(); from != clips.rend(); ++from) borrowClips(*from, given.name, own);
    if (ranges) {
        if (own.skeleton.joints.empty()) throw Error::badInput({given.name}, "has no joints for --clip @range to move");
        own.clips.push_back(rig::rangeClip(
            own.skeleton, own.driven, rig::rangeOfFigure(own, limits(own.skeleton).value_or(rig::RangeOfMotion{}))));
    }
    return std::make_shared<Character>(std::move(own));
}

CharacterRef Run::character(std::string_view input, const std::optional<std::string>& clip) {
    return characterOf(given(input), clip, true);
}

Character Run::ownCharacter(std::string_view input, const std::optional<std::string>& clip) {
    return taken(character(input, clip));
}

CharacterRef Run::characterOrMesh(std::string_view input, bool lend_clips) {
    const Given& from = given(input);
    if (kindOf(from) == FileKind::character) return characterOf(from, {}, lend_clips);
    Character character;
    character.mesh = from.isFile() ? io::loadMesh(from.name) : meshOf(from);
    return std::make_shared<Character>(std::move(character));
}

Character Run::ownCharacterOrMesh(std::string_view input) { return taken(characterOrMesh(input)); }

std::unique_ptr<MeshSequence> Run::sequence(const Given& given, const methods::Sampling& sampling,
                                            std::string_view mesh, bool lend_clips) {
    if (kindOf(given) == FileKind::character) {
        const CharacterRef character = characterOf(given, sampling.clip, lend_clips);
        return aboutFile(given.name,
                         [&] { return methods::sampleCharacter(*character, sampling, methods::findMethod("lbs")); });
    }
    std::optional<Mesh> faces;
    const bool with_mesh = !mesh.empty() && has(mesh);
    if (!given.isFile()) {
        if (given.vertex_count == 0 || given.frames.empty()) throw Error::badInput({given.name}, "there are no frames");
        if (with_mesh) faces = meshFor(this->given(mesh), given.vertex_count);
        if (faces && faces->vertexCount() != given.vertex_count)
            throw Error::badInput({nameOf(mesh)}, fmt::format("has {} vertices, but the frames have {}",
                                                              faces->vertexCount(), given.vertex_count));
        return std::make_unique<LentFrames>(given, std::move(faces));
    }
    if (kindOf(given) != FileKind::sequence) return singleFrame(io::loadMesh(given.name));
    if (with_mesh) faces = meshFor(this->given(mesh), io::openSequence(given.name)->vertexCount());
    return io::openSequence(given.name, std::move(faces));
}

Mesh Run::meshFor(const Given& given, std::size_t vertices) {
    if (given.character) return meshOf(*given.character, vertices);
    if (!given.isFile()) return meshOf(given);
    if (fileKind(given.name) != FileKind::character) return io::loadMesh(given.name);
    return meshOf(io::loadCharacter(given.name, loadOptions()).character, vertices);
}

std::optional<rig::RangeOfMotion> Run::limits(const Skeleton& skeleton) {
    if (!has("limits")) return std::nullopt;
    return readJointLimits(json(given("limits")), nameOf("limits"), skeleton);
}

nlohmann::ordered_json Run::json(const Given& given) const {
    return given.json.empty() ? io::readJsonFile(given.name) : io::parseJson(given.json, given.name);
}

io::Picture Run::picture(const Given& given) const {
    return given.bytes.empty() ? io::loadPicture(given.name) : io::parsePicture(given.bytes, given.name);
}

void Run::borrowClips(const Given& from, const std::string& to, Character& character) {
    if (kindOf(from) != FileKind::character)
        throw Error::badInput({from.name}, "is not a file with clips (.glb .gltf .vrm .vrma .fbx .dae)");
    io::Motion motion;
    if (from.character)
        motion = {from.character->skeleton, from.character->clips, {}};
    else
        motion =
            aboutFile(from.name, [&] { return io::loadMotion(from.name, loadOptions(), progressPart("load", 0, 1)); });
    for (const std::string& message : motion.warnings) warn(from.name, message);
    if (motion.clips.empty()) throw Error::badInput({from.name}, "has no clips");
    const std::string stem = std::filesystem::path(from.name).stem().string();
    const rig::BorrowedClips borrowed = rig::borrowClips(character, motion.skeleton, motion.clips, stem);
    if (borrowed.matched == 0)
        throw Error::badInput({from.name}, fmt::format("none of its {} animated nodes has the name of a joint of {}",
                                                       borrowed.unmatched.size(), to));
    if (!borrowed.unmatched.empty())
        warn(from.name, fmt::format("{} of its {} animated nodes are not in {} ('{}'{}); they are left out",
                                    borrowed.unmatched.size(), borrowed.unmatched.size() + borrowed.matched, to,
                                    borrowed.unmatched.front(), borrowed.unmatched.size() > 1 ? ", …" : ""));
    if (borrowed.most_turned > kOtherRest)
        warn(from.name,
             fmt::format("rest rotations differ from those of {} by up to {:.0f}° ('{}'); rotations are copied, which "
                         "is correct only if the joints have the same axes",
                         to, borrowed.most_turned, borrowed.most_turned_node));
}

}  // namespace pelt::verbs
