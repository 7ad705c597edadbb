// Collada as exporters other than Blender's write it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "import_support.h"

using namespace pelt;

namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

}  // namespace

TEST(ImportCollada, ASpaceBeforeAColorOrANumberIsRead) {
    const ScratchFolder folder;
    const std::string bar = replaced(readBytes(importData("smooth_bar.dae")), "<matrix sid=\"transform\">",
                                     "<matrix sid=\"transform\">\n  ");
    for (const std::string color : {"1 0 0 1", " 1 0 0 1 ", "\n\t0.5 -0 .25 1\n"}) {
        const std::string effect =
            "<library_effects><effect id=\"e\"><profile_COMMON><technique sid=\"t\"><lambert>"
            "<diffuse><color>" +
            color +
            "</color></diffuse></lambert></technique></profile_COMMON></effect>"
            "</library_effects>";
        const std::string file =
            folder.write("bar.dae", replaced(bar, "<library_geometries>", effect + "<library_geometries>"));
        EXPECT_EQ(importFault(file), "") << color;
        EXPECT_EQ(io::importCharacter(file).character.mesh.vertexCount(), 7 * 6U);
    }
}
