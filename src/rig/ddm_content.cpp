// Rows of Direct Delta Mush with no more numbers than a variant reads.
#include <pelt/rig/ddm_payload.h>

#include <algorithm>

namespace pelt {

DdmRows<float> reducedTo(DdmContent content, DdmRows<float> rows) {
    if (holds(content, rows.content)) return rows;
    for (DdmBlock<float>& b : rows.blocks) {
        b.xx = b.xy = b.xz = b.yy = b.yz = b.zz = 0;
        if (!holds(content, DdmContent::centered)) b.x = b.y = b.z = 0;
    }
    if (content == DdmContent::plain) {
        std::fill(rows.centers.begin(), rows.centers.end(), Vec3f{});
        for (std::size_t e = 0; e < rows.psi.size(); ++e) rows.psi[e] = rows.blocks[e].w;
    }
    rows.content = content;
    return rows;
}

}  // namespace pelt
