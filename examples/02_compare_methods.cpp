// Evaluates every deformation method on a built-in character and prints its distance from linear blend skinning.

#include <pelt/methods/sampling.h>
#include <pelt/scenes/scenes.h>

#include <algorithm>
#include <cstdio>

int main() {
    using namespace pelt;
    Character bar = scenes::find("bar")->make(2000);
    bar.weights = scenes::smoothWeights(bar);

    const methods::Sampling sampling;  // the first clip at 30 frames per second
    methods::CharacterSampler lbs(bar, methods::findMethod("lbs"), sampling);
    std::vector<Vec3f> expected(bar.mesh.vertexCount()), positions(bar.mesh.vertexCount());

    for (const methods::Method& method : methods::all()) {
        methods::CharacterSampler sampler(bar, method, sampling);
        float farthest = 0;
        for (std::size_t frame = 0; frame < sampler.frameCount(); ++frame) {
            lbs.evaluate(frame, expected, {});
            sampler.evaluate(frame, positions, {});
            for (std::size_t v = 0; v < positions.size(); ++v)
                farthest = std::max(farthest, length(positions[v] - expected[v]));
        }
        std::printf("%-12.*s at most %.4f from lbs over %zu frames\n", static_cast<int>(method.name.size()),
                    method.name.data(), static_cast<double>(farthest), sampler.frameCount());
    }
}
