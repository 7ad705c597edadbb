#pragma once

#include <pelt/core/image.h>
#include <pelt/core/options.h>
#include <pelt/core/progress.h>
#include <pelt/io/sequence_file.h>
#include <pelt/rig/character.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

/// The verbs of Pelt as a table. The command line, the C interface, Python, the page and Blender are made from it, and
/// all run a verb by the same call.
namespace pelt::verbs {

enum class Where {
    everywhere,
    program,  ///< the command line alone
};

/// What an input or an output is.
enum class Kind {
    character,  ///< .glb .gltf; read: also .vrm .fbx .dae
    mesh,       ///< .obj .ply .off
    sequence,   ///< .npy .pc2 .mdd .glb, a folder or a pattern of .obj .ply
    poses,      ///< a sequence, or a single frame as .obj .ply
    any,        ///< a character, a mesh or a sequence
    clips,      ///< a character's clips
    limits,     ///< how far joints bend, in JSON
    handles,    ///< in JSON
    tets,       ///< .mesh
    numbers,    ///< .npy
    rig,        ///< .peltrig
    picture,    ///< .png; read: also .jpg
    folder,     ///< of .glb
};

}  // namespace pelt::verbs

namespace pelt {

template <>
inline constexpr std::string_view kEnumWords<verbs::Where>[] = {"everywhere", "program"};
template <>
inline constexpr std::string_view kEnumWords<verbs::Kind>[] = {"character", "mesh",    "sequence", "poses", "any",
                                                               "clips",     "limits",  "handles",  "tets",  "numbers",
                                                               "rig",       "picture", "folder"};

}  // namespace pelt

namespace pelt::verbs {

/// What a verb reads. On the command line a required input is a word, any other one a flag, unless the row says so.
struct Input {
    std::string_view name;  ///< in snake_case
    Kind kind = Kind::character;
    std::string_view values;   ///< placeholder: "CHAR"
    std::string_view summary;  ///< one line
    bool required = true;
    bool many = false;            ///< one or more, in order
    bool in_memory_only = false;  ///< no flag: on the command line, an option says the same
    std::string_view group = {};  ///< heading in help
    bool flag = false;            ///< a flag although it is required
    bool word = false;            ///< a word although it is not required

    bool isWord() const { return word || (required && !flag); }
};

/// What a verb makes. The first one is `output`, the flag -o; others are made where they are asked for.
struct Output {
    std::string_view name;
    std::vector<Kind> kinds;   ///< the file's extension says which
    std::string_view values;   ///< placeholder: "FILE"
    std::string_view summary;  ///< one line
    bool required = true;
    std::string_view group = {};
    bool program_only = false;
};

class Run;

struct Verb {
    std::string_view name, summary, example;
    Where where = Where::everywhere;
    bool browser = true;  ///< whether @pelt/core has it
    std::vector<Input> inputs = {};
    std::vector<OptionInfo> options = {};
    std::vector<Output> outputs = {};
    void (*run)(Run& run) = nullptr;
    std::string notes = {};  ///< for the end of the help text
};

/// All verbs of the library, in the order of the help text.
std::span<const Verb> all();
/// Null if there is none of that name.
const Verb* find(std::string_view name);
/// The table as JSON: `pelt verbs --json`.
std::string tableJson(std::span<const Verb> verbs);

/// What is given for an input: a file, or what a program has in memory and lends during the call.
struct Given {
    std::string name;                            ///< a path, or how messages and reports call it
    const Character* character = nullptr;        ///< in memory,
    std::span<const std::string> warnings = {};  ///< what was repaired when its file was read,
    std::span<const Vec3f> frames = {};          ///< or positions, frame by frame,
    std::size_t vertex_count = 0;
    std::span<const Triangle> triangles = {};  ///< with their faces, if known,
    std::string json = {};                     ///< or the content of a JSON file
    std::vector<std::byte> bytes = {};         ///< or of a picture's file

    bool isFile() const { return !character && frames.data() == nullptr && json.empty() && bytes.empty(); }
};
using Inputs = std::map<std::string, std::vector<Given>, std::less<>>;

/// A value for each vertex, to be drawn on the mesh in colors.
struct Heatmap {
    std::span<const Vec3f> positions;
    std::span<const Triangle> triangles;
    std::span<const float> values;
    std::string title, unit;  ///< of the picture; of the values
    std::optional<PictureSize> size = {};
};

/// A place of a posed mesh, seen from near, with some vertices marked.
struct Closeup {
    std::vector<Vec3f> positions;
    std::vector<char> marked;  ///< per vertex
    Vec3f target;              ///< the middle of the place,
    float radius = 1;          ///< how far it reaches,
    Vec3f toward;              ///< and the direction that it faces
    std::string caption;
};
struct CloseupSheet {
    std::span<const Triangle> triangles;
    std::span<const Closeup> closeups;
    int columns = 0;  ///< 0: nearly square
    std::string title;
    std::optional<PictureSize> size = {};
};

/// What surrounds a verb that runs: it hears of stages and progress, and gets the results. A host that overrides
/// nothing drops them.
class Host {
public:
    virtual ~Host() = default;

    /// A stage of the work begins; `shown`: as progress too. May throw Error (cancelled).
    virtual void enter(std::string_view /*stage*/, bool /*shown*/) {}
    /// False cancels.
    virtual bool goesOn(std::string_view /*stage*/, double /*fraction*/) { return true; }
    /// A message as the host's users know options; the library names them in backquotes.
    virtual std::string worded(const std::string& message) const { return message; }
    /// How messages call an output: its path.
    virtual std::string nameOf(std::string_view output) const { return std::string(output); }
    /// Whether the output is asked for, and as what.
    virtual bool wants(std::string_view output, Kind /*kind*/) const { return output == "output"; }

    /// A character for an output; one of several has a name of its own (a level of detail), otherwise it is empty.
    virtual void take(std::string_view /*output*/, const std::string& /*name*/, Character&&) {}
    /// A sequence for an output, frame by frame.
    virtual std::unique_ptr<io::SequenceWriter> open(std::string_view output, const io::SequenceInfo& info);
    virtual void take(std::string_view /*output*/, std::span<const std::byte>) {}
    /// A picture as .png; empty from a host that does not draw.
    virtual std::vector<std::byte> draw(const Heatmap&, const Progress&) { return {}; }
    /// The verb has ended well: outputs that were kept together are written.
    virtual void finish() {}
    virtual std::vector<std::byte> draw(const CloseupSheet&, const Progress&) { return {}; }
    /// The output is this file as it is. False if the host cannot write that; it then gets the character.
    virtual bool takeCopy(std::string_view /*output*/, const std::filesystem::path& /*file*/) { return false; }

    bool local_files_only = false;  ///< external files outside the folder of a .gltf are not read
    bool watches_memory = false;    ///< the report's stages have the largest memory while each ran
    bool utf8 = false;              ///< texts for people may draw branches
    bool uses_cache = false;        ///< prepared data is kept in the user's cache folder
    std::vector<std::string> lost;  ///< what formats that were written cannot store: warnings of the report
};

/// What a verb tells about its work.
struct Report {
    std::string json;  ///< one object
    std::string text;  ///< for people
    std::vector<std::string> warnings;
    std::string missed_gate;  ///< a sentence, if a quality limit was missed: the result is complete all the same
    ErrorCode missed_code = ErrorCode::gate;  ///< as which the program reports it
};

/// Runs a verb. Inputs and options are those of its table. Throws Error: bad usage for what the table does not have or
/// take, and as the verb does.
Report run(const Verb& verb, const Inputs& inputs, const OptionValues& options, Host& host);

}  // namespace pelt::verbs
