#pragma once

#include "glb_file.h"

/// An avatar's bones, as VRM 1 names them, on the joints of the built-in biped: {"hips": {"node": 1}, …}.
nlohmann::json humanBones(const GlbFile& file);
/// The same as VRM 0 lists them.
nlohmann::json humanBonesOfVrm0(const GlbFile& file);
