// An engine whose characters are all packed for linear blend skinning: it links the code of that alone.
#include <pelt/runtime/lbs.h>

int main() {
    const auto rig = pelt::runtime::LbsRig::view(pelt::runtime::findRig({}, pelt::runtime::RigKind::lbs));
    if (!rig) return rig.error() == pelt::runtime::RigError::missing ? 0 : 1;
    pelt::runtime::LbsPose pose(*rig, {});
    pelt::runtime::evaluate(*rig, pose, {}, 0, 0, {});
}
