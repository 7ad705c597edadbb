// Makes a flat textured mesh of pictures.
#include <fmt/format.h>
#include <pelt/geometry/flat_figure.h>
#include <pelt/io/textured.h>
#include <pelt/verbs/cutout.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <set>

#include "background.h"

namespace pelt::verbs {
namespace {

/// A picture with its transparency, and what was cut out of it.
struct Layer {
    std::string name;
    io::Picture picture;
    geometry::FlatFigure figure;
};

std::string stemOf(const std::string& name, std::set<std::string>& taken) {
    const std::string stem = std::filesystem::path(name).stem().string();
    const std::string base = stem.empty() || name == "standard input" ? "picture" : stem;
    std::string unique = base;
    for (int copy = 2; !taken.insert(unique).second; ++copy) unique = fmt::format("{}_{}", base, copy);
    return unique;
}

io::Picture withTransparency(const CutoutPicture& from, const CutoutRequest& request) {
    io::Picture picture = from.picture;
    if (picture.has_alpha) return picture;
    if (!request.background)
        throw Error::badInput({from.name},
                              "has no transparent pixels, so what is the figure is not known; save it with "
                              "transparency, or name the color around the figure: `background` corner");
    clearBackground(picture, backgroundColor(*request.background, picture));
    return picture;
}

std::vector<std::uint8_t> opacity(const io::Picture& picture) {
    std::vector<std::uint8_t> values(picture.width * picture.height);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = picture.rgba[4 * i + 3];
    return values;
}

/// The share of the triangles that each layer gets: that of its opaque pixels.
std::vector<std::size_t> shares(const std::vector<Layer>& layers, std::size_t triangles) {
    std::vector<double> opaque;
    for (const Layer& layer : layers) {
        const std::vector<std::uint8_t> values = opacity(layer.picture);
        opaque.push_back(std::accumulate(values.begin(), values.end(), 0.0));
    }
    const double sum = std::max(std::accumulate(opaque.begin(), opaque.end(), 0.0), 1.0);
    std::vector<std::size_t> counts;
    for (const double one : opaque)
        counts.push_back(std::max<std::size_t>(1, std::size_t(std::lround(double(triangles) * one / sum))));
    return counts;
}

/// Where the figure stands: the middle of its lower edge, and its height, in pixels.
struct Stand {
    double middle = 0, bottom = 0, height = 1;
};

Stand standOf(const std::vector<Layer>& layers) {
    double left = 1e300, right = -1e300, bottom = 1e300, top = -1e300;
    for (const Layer& layer : layers)
        for (const auto& p : layer.figure.points) {
            left = std::min(left, p.x);
            right = std::max(right, p.x);
            bottom = std::min(bottom, p.y);
            top = std::max(top, p.y);
        }
    return {(left + right) / 2, bottom, top - bottom};
}

/// Adds a layer's triangles: a part for each island, points by island.
void addLayer(Mesh& mesh, const Layer& layer, std::uint32_t instance, double depth, const Stand& stand) {
    const auto first_vertex = std::uint32_t(mesh.positions.size());
    const double width = double(layer.picture.width), height = double(layer.picture.height);
    for (const auto& p : layer.figure.points) {
        mesh.positions.push_back(
            {float((p.x - stand.middle) / stand.height), float((p.y - stand.bottom) / stand.height), float(depth)});
        mesh.uvs.push_back({float(p.x / width), float(1 - p.y / height)});
    }
    std::uint32_t part_vertex = first_vertex;
    std::size_t at = 0;
    for (std::size_t island = 0; island < layer.figure.islands.size(); ++island) {
        MeshPart part;
        part.name = island == 0 ? layer.name : fmt::format("{}#{}", layer.name, island);
        part.material = layer.name;
        part.instance = part.body = instance;
        part.first_vertex = part_vertex;
        part.first_triangle = std::uint32_t(mesh.triangles.size());
        part.triangle_count = std::uint32_t(layer.figure.islands[island]);
        for (; mesh.triangles.size() < part.first_triangle + part.triangle_count; ++at) {
            Triangle triangle = layer.figure.triangles[at];
            for (std::uint32_t& corner : triangle) {
                corner += first_vertex;
                part.vertex_count = std::max(part.vertex_count, corner + 1 - part_vertex);
            }
            mesh.triangles.push_back(triangle);
        }
        part_vertex += part.vertex_count;
        mesh.parts.push_back(std::move(part));
    }
}

}  // namespace

CutoutResult cutout(std::span<const CutoutPicture> pictures, const CutoutRequest& request, const Progress& progress) {
    if (request.triangles == 0) throw Error::badUsage("`triangles` is 0; ask for at least one");
    std::vector<Layer> layers;
    std::set<std::string> taken;
    for (const CutoutPicture& from : pictures) {
        const io::Picture& first = pictures.front().picture;
        if (from.picture.width != first.width || from.picture.height != first.height)
            throw Error::badInput(
                {from.name},
                fmt::format("has {} x {} pixels, but {} has {} x {}; layers have one size, so that "
                            "they lie where they were drawn",
                            from.picture.width, from.picture.height, pictures.front().name, first.width, first.height));
        layers.push_back({stemOf(from.name, taken), withTransparency(from, request), {}});
    }
    const std::vector<std::size_t> counts = shares(layers, request.triangles);
    CutoutResult result;
    result.smallest_angle = 180;
    for (std::size_t l = 0; l < layers.size(); ++l) {
        const std::vector<std::uint8_t> cover = opacity(layers[l].picture);
        const double from = double(l) / double(layers.size()), to = double(l + 1) / double(layers.size());
        try {
            layers[l].figure = geometry::cutFigure({layers[l].picture.width, layers[l].picture.height, cover},
                                                   counts[l], progress.share("cut out", from, to));
        } catch (const Error& error) {
            throw error.in(pictures[l].name);
        }
        result.parts += layers[l].figure.islands.size();
        result.triangles += layers[l].figure.triangles.size();
        result.smallest_angle = std::min(result.smallest_angle, layers[l].figure.smallest_angle);
    }
    Mesh mesh;
    std::vector<io::Texture> textures;
    const Stand stand = standOf(layers);
    for (std::size_t l = 0; l < layers.size(); ++l) {
        addLayer(mesh, layers[l], std::uint32_t(l), double(l) * request.depth, stand);
        textures.push_back({layers[l].name, layers[l].picture.media_type, layers[l].picture.file, true});
    }
    result.character = io::texturedCharacter(std::move(mesh), textures);
    return result;
}

}  // namespace pelt::verbs
