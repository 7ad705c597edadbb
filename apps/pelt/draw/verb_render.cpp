// pelt render: a picture of one pose, or a contact sheet of methods, frames and files.
#include "draw/verb_render.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/png.h>

#include <algorithm>
#include <cmath>

#include "draw/render_colors.h"
#include "draw/render_subjects.h"
#include "verbs/run/common_options.h"

namespace pelt::draw {
namespace {

constexpr float kFocusZoom = 4;  ///< a joint and its neighbors fill the picture of a biped

struct RenderOptions {
    std::vector<std::string> methods, moments;
    std::string color = "plain", camera, focus;
    std::optional<PictureSize> size;
    std::optional<int> columns;
    bool skeleton = false;
};

OptionTable<RenderOptions> renderRows() {
    using R = RenderOptions;
    using Row = OptionRow<R>;
    return {
        Row("method", "METHOD,...", &R::methods,
            "Deformers, one panel each (default: lbs); pelt deform --help explains them")
            .separatedBy(',')
            .in(verbs::kCommon),
        Row("frame", "T,...", &R::moments,
            "Times, one panel each: seconds on the clip's time line (0.5), the number of a sample at --fps (12f, -1f), "
            "or a percentage of the clip (50%). Default: the rest pose or, with --clip or --method, the pose farthest "
            "from rest")
            .separatedBy(',')
            .in(verbs::kCommon),
        Row("color", "plain|weights|joint NAME|confidence|error", &R::color,
            "plain; weights: one color per joint, blended; joint NAME: the weight of that joint, blue to red; "
            "confidence: what pelt transfer copied (blue), kept rigid (yellow) and filled in (red), or where pelt bind "
            "was sure (blue) or not (red); error: distance to the first method or file")
            .in(verbs::kCommon),
        Row("skeleton", "", &R::skeleton, "Draw the skeleton over the skin").in(verbs::kCommon),
        Row("camera", "VIEW", &R::camera,
            "front, back, left, right, side, top, three-quarter (default), or AZIMUTH,ELEVATION[,ZOOM] in degrees")
            .in(verbs::kCommon),
        Row("focus", "JOINT", &R::focus, "Look at this joint, four times as close unless the camera has a zoom")
            .type(OptionType::joint)
            .in(verbs::kCommon),
        Row("size", "WxH", &R::size,
            "Size of the whole picture (default: 1280x960, or what the panels of a sheet need)")
            .in(verbs::kCommon),
        Row("columns", "N", &R::columns, "Panels per row (default: one column per method or file)").from(1, 64),
    };
}

/// Panels in reading order: one row per time, one column per subject.
struct Panels {
    std::vector<Shot> shots;
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    std::optional<render::ColorBar> bar;
};

std::string captionOf(const RenderSubject& subject, const RenderSubject::Pose& pose, bool several_files) {
    std::vector<std::string> words;
    if (several_files) words.push_back(subject.file().stem().string());
    if (!subject.method().empty()) words.push_back(subject.method());
    if (pose.seconds) words.push_back(fmt::format("{:.2f} s", *pose.seconds));
    if (pose.frame) words.push_back(fmt::format("frame {}", *pose.frame));
    const bool rests_by_method = subject.rests() && !subject.method().empty();
    if (rests_by_method || (words.empty() && subject.character()))
        words.push_back(subject.rests() ? "rest pose" : "bind pose");
    if (words.empty()) words.push_back(subject.file().stem().string());
    return fmt::format("{}", fmt::join(words, ", "));
}

bool areSeveral(const std::vector<verbs::Given>& files) {
    return std::any_of(files.begin(), files.end(), [&](const verbs::Given& g) { return g.name != files[0].name; });
}

Panels takeShots(verbs::Run& run, const RenderChoice& choice, const std::vector<RenderSubject>& subjects,
                 const render::Camera& camera, const std::string& focus) {
    Panels panels;
    std::vector<std::optional<Moment>> moments(choice.moments.begin(), choice.moments.end());
    const bool any_moves =
        std::any_of(subjects.begin(), subjects.end(), [](const RenderSubject& s) { return s.moves(); });
    if (moments.empty() || !any_moves) moments = {std::nullopt};
    const bool several_files = areSeveral(run.allGiven("files"));
    run.stage("evaluate");
    for (const std::optional<Moment>& moment : moments) {
        for (const RenderSubject& subject : subjects) {
            run.progress().report("evaluate", -1);
            RenderSubject::Pose pose = verbs::aboutFile(
                subject.file().string(), [&] { return subject.at(moment, choice.sampling.fps, choice.skeleton); });
            pose.shot.camera = camera;
            if (!focus.empty())
                pose.shot.camera.target =
                    verbs::aboutFile(subject.file().string(), [&] { return subject.jointAt(focus, pose); });
            pose.shot.caption = captionOf(subject, pose, several_files);
            nlohmann::ordered_json panel = {{"file", subject.file().string()}};
            panel["vertices"] = pose.shot.positions.size();
            panel["triangles"] = pose.shot.triangles.size();
            if (!subject.method().empty()) panel["method"] = subject.method();
            if (pose.seconds) panel["seconds"] = *pose.seconds;
            if (pose.frame) panel["frame"] = *pose.frame;
            panels.json.push_back(std::move(panel));
            panels.shots.push_back(std::move(pose.shot));
        }
    }
    return panels;
}

const Character& characterOf(const RenderSubject& subject) {
    if (!subject.character())
        throw Error::badInput({subject.file().string()},
                              "has no skin weights to show; weights come with .glb .gltf .fbx .dae");
    return *subject.character();
}

void colorByWeights(const ColorChoice& color, const std::vector<RenderSubject>& subjects, Panels& panels) {
    const bool one_joint = color.kind == ColorChoice::Kind::joint;
    for (std::size_t p = 0; p < panels.shots.size(); ++p) {
        const RenderSubject& subject = subjects[p % subjects.size()];
        verbs::aboutFile(subject.file().string(), [&] {
            const Character& character = characterOf(subject);
            if (one_joint)
                panels.shots[p].values = jointWeights(character, color.joint);
            else if (color.kind == ColorChoice::Kind::confidence)
                panels.shots[p].colors = confidenceColors(character);
            else
                panels.shots[p].colors = weightColors(character);
        });
    }
    if (one_joint) panels.bar = render::ColorBar{render::ColorMap::blue_to_red, 0, 1, color.joint};
}

std::vector<float> distances(std::span<const Vec3f> a, std::span<const Vec3f> b) {
    std::vector<float> result(a.size());
    for (std::size_t v = 0; v < a.size(); ++v) result[v] = length(a[v] - b[v]);
    return result;
}

/// Compares every column with the first of its row, which stays clay-colored.
void colorByError(const std::vector<RenderSubject>& subjects, Panels& panels) {
    if (subjects.size() < 2) throw Error::badUsage("--color error needs two methods or files to compare");
    std::vector<std::vector<float>> errors(panels.shots.size());
    float most = 0;
    for (std::size_t p = 0; p < panels.shots.size(); ++p) {
        const Shot& first = panels.shots[p - p % subjects.size()];
        if (p % subjects.size() == 0) continue;
        if (panels.shots[p].positions.size() != first.positions.size())
            throw Error::badInput({subjects[p % subjects.size()].file().string()},
                                  fmt::format("{} vertices, but {} in {}; only poses of the same mesh can be compared",
                                              panels.shots[p].positions.size(), first.positions.size(),
                                              subjects.front().file().string()));
        errors[p] = distances(panels.shots[p].positions, first.positions);
        double sum = 0;
        for (const float e : errors[p]) sum += double(e) * e;
        const float largest = errors[p].empty() ? 0 : *std::max_element(errors[p].begin(), errors[p].end());
        panels.json[p]["rms"] = std::sqrt(sum / static_cast<double>(std::max<std::size_t>(errors[p].size(), 1)));
        panels.json[p]["max"] = largest;
        most = std::max(most, largest);
    }
    for (std::size_t p = 0; p < panels.shots.size(); ++p) {
        if (p % subjects.size() == 0)
            panels.shots[p].caption += " (reference)";
        else
            panels.shots[p].values = std::move(errors[p]);
    }
    panels.bar = render::ColorBar{render::ColorMap::viridis, 0, most, "distance"};
}

std::string titleOf(const std::vector<RenderSubject>& subjects) {
    for (const RenderSubject& subject : subjects)
        if (subject.file() != subjects.front().file()) return {};
    const Clip* clip = subjects.front().clip();
    const std::string stem = subjects.front().file().stem().string();
    return clip && !clip->name.empty() ? fmt::format("{}: {}", stem, clip->name) : stem;
}

int columnsFor(std::size_t subjects, std::size_t panels) {
    const std::size_t rows = panels / subjects;
    if (subjects == 1) return rows <= 4 ? static_cast<int>(rows) : 0;
    return rows > 1 || subjects <= 4 ? static_cast<int>(subjects) : 0;
}

void reportRender(verbs::Run& run, Panels& panels, const Image& picture) {
    run.result["output"] = run.outputName();
    run.result["width"] = picture.width;
    run.result["height"] = picture.height;
    run.result["vertices"] = panels.shots.front().positions.size();
    run.result["triangles"] = panels.shots.front().triangles.size();
    run.result["panels"] = std::move(panels.json);
    run.print(fmt::format("{}: {}x{}, {}\n", verbs::oneLine(run.outputName()), picture.width, picture.height,
                          verbs::counted(panels.shots.size(), "panel", "panels")));
}

void runRender(verbs::Run& run) {
    const auto options = run.read(renderRows());
    run.needs("limits", "clip");
    RenderChoice choice{options.methods,
                        {},
                        verbs::readSampling(run, verbs::samplingRows(false)),
                        run.methodOptions(),
                        options.skeleton};
    for (const std::string& name : options.methods) methods::findMethod(name);
    for (const std::string& text : options.moments) choice.moments.push_back(parseMoment(text));
    const ColorChoice color = parseColor(options.color);
    render::Camera camera = options.camera.empty() ? render::Camera{} : render::parseCamera(options.camera);
    if (!options.focus.empty() && camera.zoom == 1) camera.zoom = kFocusZoom;
    SheetLayout layout;
    layout.size = options.size;

    const std::vector<RenderSubject> subjects = loadSubjects(run, choice);
    Panels panels = takeShots(run, choice, subjects, camera, options.focus);
    if (color.kind == ColorChoice::Kind::error) colorByError(subjects, panels);
    if (color.kind != ColorChoice::Kind::plain && color.kind != ColorChoice::Kind::error)
        colorByWeights(color, subjects, panels);

    layout.columns = options.columns.value_or(columnsFor(subjects.size(), panels.shots.size()));
    layout.title = titleOf(subjects);
    layout.bar = panels.bar;
    run.stage("render");
    const Image picture = drawSheet(panels.shots, layout, run.progress());
    run.stage("write");
    run.save(io::toPng(picture, run.outputName()));
    reportRender(run, panels, picture);
}

}  // namespace

verbs::Verb renderVerb() {
    const std::vector<OptionInfo> sampling = verbs::common(optionInfos(verbs::samplingRows(false)), {"clip"});
    std::vector<OptionInfo> infos = optionInfos(renderRows());
    infos.insert(infos.begin() + 2, sampling.front());  // beside the other options of what is shown
    infos.insert(infos.end(), sampling.begin() + 1, sampling.end());
    infos = joined(infos, optionInfos(verbs::propsRows()));
    verbs::Input mesh = verbs::meshInput();
    mesh.group = {};
    return {.name = "render",
            .summary = "Renders one pose, or a contact sheet of methods, frames and files",
            .example = "pelt render character.glb --method lbs,dqs --frame 0.5,1 --color error -o sheet.png",
            .where = verbs::Where::program,
            .browser = false,
            .inputs = {{.name = "files",
                        .kind = verbs::Kind::any,
                        .values = "FILE",
                        .summary = "Characters, meshes, sequences",
                        .many = true},
                       verbs::clipsInput(),
                       verbs::limitsInput(),
                       mesh},
            .options = joined(infos, verbs::methodInfos(infos)),
            .outputs = {{.name = "output",
                         .kinds = {verbs::Kind::picture},
                         .values = "FILE",
                         .summary = "The picture to write, .png, or - for standard output",
                         .group = verbs::kCommon}},
            .run = runRender};
}

}  // namespace pelt::draw
