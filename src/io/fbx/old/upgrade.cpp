// FBX version 6 as version 7: objects get numbers, meshes an object of their own, and takes become stacks of curves.
#include <fmt/format.h>

#include <map>

#include "keys_6.h"

namespace pelt::io::fbx {
namespace {

Value textValue(std::string_view text) {
    Value value;
    value.type = 'S';
    value.text = text;
    return value;
}

Value numberValue(double number) {
    Value value;
    value.type = 'D';
    value.real = number;
    value.integer = static_cast<std::int64_t>(number);
    return value;
}

bool isShape(const Element& child) {
    return child.name == "Vertices" || child.name == "PolygonVertexIndex" || child.name.starts_with("LayerElement");
}

class Upgrade {
public:
    explicit Upgrade(Tree& tree) : tree_(tree) {}

    void run() {
        Element objects, connections;
        objects.name = "Objects";
        connections.name = "Connections";
        for (Element& element : tree_.root.children)
            if (element.name == "Objects") takeObjects(element);
        for (const Element& element : tree_.root.children)
            if (element.name == "Connections" || element.name == "Relations") takeConnections(element);
        for (const Element& element : tree_.root.children)
            if (element.name == "Takes")
                for (const Element& take : element.children)
                    if (take.name == "Take") takeTake(take);
        std::erase_if(tree_.root.children, [](const Element& element) {
            return element.name == "Objects" || element.name == "Connections" || element.name == "Definitions";
        });
        objects.children = std::move(objects_);
        connections.children = std::move(connections_);
        tree_.root.children.push_back(std::move(objects));
        tree_.root.children.push_back(std::move(connections));
        if (settings_) tree_.root.children.push_back(std::move(*settings_));
    }

private:
    void takeObjects(Element& list);
    void takeModel(Element& model, std::int64_t id);
    void takeShapes(std::vector<Element>& shapes, std::int64_t geometry, const Element& model);
    void takeConnections(const Element& list);
    void takeTake(const Element& take);
    void takeChannel(const Element& channel, std::int64_t target, std::string_view property, std::int64_t layer);
    std::int64_t add(std::string_view kind, std::string_view name, std::string_view subtype);
    void connect(std::int64_t from, std::int64_t to, std::string_view property = {});
    std::int64_t idOf(std::string_view name) const {
        const auto found = ids_.find(name);
        return found == ids_.end() ? -1 : found->second;
    }

    Tree& tree_;
    std::vector<Element> objects_, connections_;
    std::optional<Element> settings_;
    std::map<std::string_view, std::int64_t> ids_;
    std::map<std::int64_t, std::string_view> kinds_;
    std::map<std::int64_t, std::int64_t> geometry_of_;                              ///< model -> its mesh
    std::map<std::pair<std::int64_t, std::string_view>, std::int64_t> channel_of_;  ///< model, shape -> its channel
    std::int64_t next_ = 1;
};

Element madeProperty(std::string_view name, std::string_view type, std::span<const double> numbers) {
    Element property;
    property.name = "P";
    property.values = {textValue(name), textValue(type), textValue(""), textValue("")};
    for (const double number : numbers) property.values.push_back(numberValue(number));
    return property;
}

/// "Property: name, type, flags, values" becomes "P: name, type, label, flags, values".
void upgradeProperties(Element& object) {
    for (Element& list : object.children) {
        if (list.name != "Properties60") continue;
        list.name = "Properties70";
        for (Element& property : list.children) {
            if (property.name != "Property" || property.values.size() < 3) continue;
            property.name = "P";
            property.values.insert(property.values.begin() + 2, textValue(""));
        }
    }
}

std::int64_t Upgrade::add(std::string_view kind, std::string_view name, std::string_view subtype) {
    Element made;
    made.name = kind;
    made.values = {numberValue(static_cast<double>(next_)), textValue(name), textValue(subtype)};
    objects_.push_back(std::move(made));
    return next_++;
}

void Upgrade::connect(std::int64_t from, std::int64_t to, std::string_view property) {
    Element made;
    made.name = "C";
    made.values = {textValue(property.empty() ? "OO" : "OP"), numberValue(static_cast<double>(from)),
                   numberValue(static_cast<double>(to))};
    if (!property.empty()) made.values.push_back(textValue(property));
    connections_.push_back(std::move(made));
}

void Upgrade::takeObjects(Element& list) {
    for (Element& object : list.children) {
        upgradeProperties(object);
        if (object.name == "GlobalSettings") settings_ = object;
        if (object.values.empty() || object.values[0].type != 'S') continue;
        const std::string_view name = object.text(0);
        const std::int64_t id = add(object.name, name, object.text(1));
        ids_.try_emplace(name, id);
        kinds_[id] = object.name;
        if (object.name == "Model") takeModel(object, id);
        objects_[static_cast<std::size_t>(id - 1)].children = std::move(object.children);
    }
    ids_["Model::Scene"] = 0;
    ids_[std::string_view("Scene\0\1Model", 12)] = 0;
}

void Upgrade::takeModel(Element& model, std::int64_t id) {
    if (!model.find("Vertices") || !model.find("PolygonVertexIndex")) return;
    const std::int64_t geometry = add("Geometry", model.text(0), "Mesh");
    std::vector<Element> kept, shapes, mesh;
    for (Element& child : model.children)
        (isShape(child) ? mesh : child.name == "Shape" ? shapes : kept).push_back(std::move(child));
    model.children = std::move(kept);
    objects_[static_cast<std::size_t>(geometry - 1)].children = std::move(mesh);
    geometry_of_[id] = geometry;
    connect(geometry, id);
    if (!shapes.empty()) takeShapes(shapes, geometry, model);
}

void Upgrade::takeShapes(std::vector<Element>& shapes, std::int64_t geometry, const Element& model) {
    const std::int64_t deformer = add("Deformer", model.text(0), "BlendShape");
    connect(deformer, geometry);
    const Element* properties = model.find("Properties70");
    for (Element& shape : shapes) {
        const std::string_view name = shape.text(0);
        const std::int64_t channel = add("Deformer", name, "BlendShapeChannel"),
                           target = add("Geometry", name, "Shape");
        channel_of_[{ids_.at(model.text(0)), name}] = channel;
        for (std::size_t i = 0; properties && i < properties->children.size(); ++i)
            if (properties->children[i].text(0) == name && properties->children[i].values.size() > 4) {
                Element percent;
                percent.name = "DeformPercent";
                percent.values = {numberValue(properties->children[i].real(4))};
                objects_[static_cast<std::size_t>(channel - 1)].children.push_back(std::move(percent));
                break;
            }
        objects_[static_cast<std::size_t>(target - 1)].children = std::move(shape.children);
        connect(channel, deformer);
        connect(target, channel);
    }
}

void Upgrade::takeConnections(const Element& list) {
    std::multimap<std::int64_t, std::int64_t> materials;  // of a model
    std::vector<std::pair<std::int64_t, std::int64_t>> textures;
    for (const Element& link : list.children) {
        if (link.name != "Connect") continue;
        const std::int64_t from = idOf(link.text(1));
        std::int64_t to = idOf(link.text(2));
        if (from <= 0 || to < 0) continue;
        if (kinds_[from] == "Deformer" && geometry_of_.contains(to)) to = geometry_of_[to];
        if (kinds_[from] == "Material") materials.emplace(to, from);
        if (kinds_[from] == "Texture" && kinds_[to] == "Model") textures.push_back({from, to});
        connect(from, to, link.text(0) == "OP" ? link.text(3) : std::string_view());
    }
    for (const auto& [texture, model] : textures) {
        const auto [first, last] = materials.equal_range(model);
        for (auto material = first; material != last; ++material) connect(texture, material->second, "DiffuseColor");
    }
}

void Upgrade::takeTake(const Element& take) {
    const std::int64_t stack = add("AnimationStack", take.text(0), ""), layer = add("AnimationLayer", "", "");
    connect(layer, stack);
    if (const Element* span = take.find("LocalTime"); span && span->values.size() >= 2) {
        Element list;
        list.name = "Properties70";
        const double start = span->real(0), stop = span->real(1);
        list.children = {madeProperty("LocalStart", "KTime", {&start, 1}),
                         madeProperty("LocalStop", "KTime", {&stop, 1})};
        objects_[static_cast<std::size_t>(stack - 1)].children.push_back(std::move(list));
    }
    for (const Element& model : take.children) {
        const std::int64_t id = model.name == "Model" ? idOf(model.text(0)) : -1;
        if (id <= 0) continue;
        for (const Element& channel : model.children) {
            if (channel.name != "Channel") continue;
            if (const auto shape = channel_of_.find({id, channel.text(0)}); shape != channel_of_.end())
                takeChannel(channel, shape->second, "DeformPercent", layer);
            if (channel.text(0) != "Transform") continue;
            for (const Element& part : channel.children) {
                const std::string_view letter = part.text(0);
                const std::string_view property = letter == "T"   ? "Lcl Translation"
                                                  : letter == "R" ? "Lcl Rotation"
                                                  : letter == "S" ? "Lcl Scaling"
                                                                  : std::string_view();
                if (part.name == "Channel" && !property.empty()) takeChannel(part, id, property, layer);
            }
        }
    }
}

void Upgrade::takeChannel(const Element& channel, std::int64_t target, std::string_view property, std::int64_t layer) {
    const std::int64_t node = add("AnimationCurveNode", property, "");
    connect(node, layer);
    connect(node, target, property);
    Element defaults;
    defaults.name = "Properties70";
    const auto take = [&](const Element& axis, std::string_view driven) {
        if (const Element* value = axis.find("Default")) {
            const double number = value->real(0);
            defaults.children.push_back(madeProperty(driven, "Number", {&number, 1}));
        }
        Element curve;
        addKeys(axis, tree_, curve);
        if (curve.children.empty()) return;
        const std::int64_t id = add("AnimationCurve", "", "");
        objects_[static_cast<std::size_t>(id - 1)].children = std::move(curve.children);
        connect(id, node, driven);
    };
    if (property == "DeformPercent") take(channel, "d|DeformPercent");
    for (const Element& axis : channel.children)
        if (axis.name == "Channel" && axis.text(0).size() == 1)
            take(axis, axis.text(0) == "X" ? "d|X" : axis.text(0) == "Y" ? "d|Y" : "d|Z");
    objects_[static_cast<std::size_t>(node - 1)].children.push_back(std::move(defaults));
}

}  // namespace

void upgrade(Tree& tree) { Upgrade(tree).run(); }

}  // namespace pelt::io::fbx
