// The picture of `pelt compare --heatmap`.
#include "draw/heatmap.h"

#include <algorithm>

#include "draw/sheet.h"

namespace pelt::draw {

Image drawHeatmap(const verbs::Heatmap& heatmap, const Progress& progress) {
    std::vector<Shot> shots(2);
    for (Shot& shot : shots) {
        shot.positions.assign(heatmap.positions.begin(), heatmap.positions.end());
        shot.triangles = heatmap.triangles;
        shot.values.assign(heatmap.values.begin(), heatmap.values.end());
    }
    shots[0].camera.azimuth = 25;
    shots[0].caption = "front";
    shots[1].camera.azimuth = 205;
    shots[1].caption = "back";
    SheetLayout layout;
    layout.size = heatmap.size;
    layout.columns = 2;
    layout.title = heatmap.title;
    const float most = heatmap.values.empty() ? 0 : *std::max_element(heatmap.values.begin(), heatmap.values.end());
    layout.bar = render::ColorBar{render::ColorMap::viridis, 0, most, heatmap.unit};
    return drawSheet(shots, layout, progress);
}

}  // namespace pelt::draw
