#pragma once

#include <pelt/scenes/scenes.h>

#include <map>
#include <string>
#include <utility>

namespace pelt {

/// A scene that the tests of a program share: making the biped takes longer than most of what is tested on it.
inline const Character& madeScene(const std::string& name, std::size_t resolution) {
    static std::map<std::pair<std::string, std::size_t>, Character> made;
    const auto [at, is_new] = made.try_emplace({name, resolution});
    if (is_new) at->second = scenes::find(name)->make(resolution);
    return at->second;
}

/// The same with the smooth weights that an artist would paint, any number per vertex.
inline const Character& smoothScene(const std::string& name, std::size_t resolution) {
    static std::map<std::pair<std::string, std::size_t>, Character> made;
    const auto [at, is_new] = made.try_emplace({name, resolution});
    if (is_new) {
        at->second = madeScene(name, resolution);
        at->second.weights = scenes::smoothWeights(at->second, 0);
    }
    return at->second;
}

}  // namespace pelt
