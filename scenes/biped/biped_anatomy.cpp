// The biped's dimensions, in meters: a figure of 1.75 m and about 7.2 heads. Stations are (height, center in x, center
// in z, half width, depth to the back, depth to the front).

#include <cmath>

#include "biped_shape.h"
#include "biped_skeleton.h"

namespace pelt::scenes {
namespace {

const Loft::Frame kUpright{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}};

std::unique_ptr<Solid> cone(const Vec3d& a, const Vec3d& b, double ra, double rb) {
    return std::make_unique<RoundCone>(a, b, ra, rb);
}

std::unique_ptr<Solid> ball(const Vec3d& center, const Vec3d& radii) {
    return std::make_unique<Ellipsoid>(center, radii);
}

/// An ellipsoid rotated about x, then about y, then about z (degrees).
std::unique_ptr<Solid> turnedBall(const Vec3d& center, const Vec3d& radii, const Vec3d& degrees) {
    std::array<Vec3d, 3> axes{Vec3d(1, 0, 0), Vec3d(0, 1, 0), Vec3d(0, 0, 1)};
    for (Vec3d& a : axes) {
        for (int k = 0; k < 3; ++k) {
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            const double t = degrees[k] * 3.14159265358979323846 / 180, c = std::cos(t), s = std::sin(t);
            const double ai = a[i], aj = a[j];
            a[i] = c * ai - s * aj;
            a[j] = s * ai + c * aj;
        }
    }
    return std::make_unique<Ellipsoid>(center, radii, axes);
}

}  // namespace

std::size_t BipedShape::torso() {
    const std::size_t trunk = addSolid(std::make_unique<Loft>(kUpright,
                                                              std::vector<Station>{
                                                                  {0.850, 0, -0.005, 0.112, 0.080, 0.076},
                                                                  {0.905, 0, -0.008, 0.148, 0.096, 0.090},
                                                                  {0.965, 0, -0.006, 0.150, 0.092, 0.094},
                                                                  {1.030, 0, -0.002, 0.138, 0.082, 0.090},
                                                                  {1.100, 0, 0.002, 0.127, 0.080, 0.086},
                                                                  {1.180, 0, 0.000, 0.138, 0.092, 0.092},
                                                                  {1.270, 0, -0.004, 0.158, 0.104, 0.102},
                                                                  {1.340, 0, -0.012, 0.164, 0.102, 0.100},
                                                                  {1.400, 0, -0.020, 0.138, 0.086, 0.082},
                                                                  {1.445, 0, -0.028, 0.096, 0.066, 0.062},
                                                                  {1.490, 0, -0.030, 0.056, 0.052, 0.046},
                                                              },
                                                              0.20, 0.055, 0.04),
                                       0, {"pelvis", "spine", "chest", "upper_chest"});
    const std::size_t pectoral = addSolid(turnedBall({0.074, 1.318, 0.052}, {0.088, 0.066, 0.042}, {-14, 12, -10}),
                                          0.045, {"chest", "upper_chest"});
    const std::size_t blade = addSolid(turnedBall({0.085, 1.335, -0.078}, {0.066, 0.085, 0.034}, {0, -16, 8}), 0.05,
                                       {"chest", "upper_chest"});
    const std::size_t buttock = addSolid(ball({0.070, 0.888, -0.056}, {0.082, 0.086, 0.068}), 0.04, {"pelvis"});
    const std::size_t trapezius =
        addSolid(cone({0.028, 1.492, -0.040}, {0.160, 1.418, -0.026}, 0.028, 0.036), 0.05, {"clavicle_L"});
    const std::size_t collarbone =
        addSolid(cone({0.022, 1.432, 0.034}, {0.160, 1.436, -0.004}, 0.008, 0.009), 0.022, {"clavicle_L"});
    const std::size_t hollow =
        addSolid(cone({0.060, 1.452, -0.008}, {0.150, 1.428, -0.012}, 0.026, 0.030), 0.03, {"clavicle_L"});
    const std::size_t belly_line = addCarving(cone({0, 1.100, 0.099}, {0, 1.255, 0.112}, 0.006, 0.006), 0.022);
    const std::size_t navel = addCarving(ball({0, 1.062, 0.0905}, {0.0045, 0.0065, 0.0060}), 0.006);
    const std::size_t spine_line = addCarving(cone({0, 1.010, -0.100}, {0, 1.360, -0.132}, 0.008, 0.008), 0.030);
    return addGroup(0, {trunk, pectoral, addMirrored(pectoral), blade, addMirrored(blade), buttock,
                        addMirrored(buttock), trapezius, addMirrored(trapezius), hollow, addMirrored(hollow),
                        collarbone, addMirrored(collarbone), belly_line, navel, spine_line});
}

std::size_t BipedShape::neckAndHead() {
    const std::size_t neck = addSolid(std::make_unique<Loft>(kUpright,
                                                             std::vector<Station>{
                                                                 {1.400, 0, -0.040, 0.062, 0.048, 0.050},
                                                                 {1.465, 0, -0.030, 0.054, 0.050, 0.048},
                                                                 {1.530, 0, -0.016, 0.051, 0.052, 0.046},
                                                                 {1.600, 0, -0.012, 0.050, 0.060, 0.045},
                                                             },
                                                             0.0, 0.04, 0.03),
                                      0, {"upper_chest", "neck", "head"});
    return addGroup(0.04, {neck, head()});
}

std::size_t BipedShape::head() {
    const std::vector<const char*> bone{"head"};
    std::vector<std::size_t> parts;
    const auto add = [&](std::size_t node) { parts.push_back(node); };
    const auto addPair = [&](std::size_t node) { parts.push_back(node), parts.push_back(addMirrored(node)); };
    add(addSolid(ball({0, 1.658, -0.015}, {0.077, 0.094, 0.099}), 0, bone));
    add(addSolid(std::make_unique<Loft>(kUpright,
                                        std::vector<Station>{
                                            {1.528, 0, 0.046, 0.030, 0.032, 0.032},
                                            {1.545, 0, 0.038, 0.042, 0.046, 0.042},
                                            {1.567, 0, 0.028, 0.051, 0.055, 0.054},
                                            {1.590, 0, 0.020, 0.057, 0.060, 0.062},
                                            {1.620, 0, 0.012, 0.064, 0.060, 0.070},
                                            {1.655, 0, 0.006, 0.067, 0.060, 0.077},
                                            {1.700, 0, -0.004, 0.063, 0.060, 0.074},
                                        },
                                        0.10, 0.018, 0.04),
                 0.03, bone));
    addPair(addSolid(cone({0.012, 1.529, 0.058}, {0.035, 1.564, 0.004}, 0.012, 0.016), 0.035, bone));   // jaw
    add(addSolid(cone({0, 1.538, 0.050}, {0, 1.540, 0.000}, 0.016, 0.026), 0.03, bone));                // under it
    addPair(addSolid(ball({0.038, 1.600, 0.040}, {0.027, 0.026, 0.028}), 0.045, bone));                 // cheek
    addPair(addCarving(turnedBall({0.032, 1.636, 0.094}, {0.023, 0.0120, 0.022}, {0, 18, 0}), 0.020));  // socket
    const std::size_t eye = addSolid(ball({0.0315, 1.6335, 0.0590}, {0.0155, 0.0125, 0.0150}), 0, bone);
    const std::size_t lid =
        addSolid(turnedBall({0.0315, 1.6398, 0.0592}, {0.0172, 0.0082, 0.0160}, {10, 0, 0}), 0.002, bone);
    const std::size_t lower_lid =
        addSolid(turnedBall({0.0315, 1.6258, 0.0585}, {0.0160, 0.0050, 0.0145}, {-10, 0, 0}), 0.002, bone);
    addPair(addGroup(0.006, {eye, lid, lower_lid}));
    add(addSolid(cone({0, 1.641, 0.0775}, {0, 1.600, 0.0970}, 0.0058, 0.0088), 0.016, bone));  // nose
    addPair(addSolid(ball({0.0085, 1.5955, 0.0865}, {0.0070, 0.0062, 0.0090}), 0.012, bone));  // its wings
    const std::size_t upper = addSolid(ball({0, 1.5640, 0.0775}, {0.0215, 0.0050, 0.0085}), 0, bone);
    const std::size_t lower = addSolid(ball({0, 1.5553, 0.0770}, {0.0185, 0.0056, 0.0085}), 0.0035, bone);
    add(addGroup(0.007, {upper, lower}));
    addPair(addCarving(ball({0.0235, 1.5612, 0.0800}, {0.0040, 0.0030, 0.0050}), 0.008));  // corner of the mouth
    const Vec3d lean{-14, 18, -12};
    const std::size_t shell = addSolid(turnedBall({0.0715, 1.617, -0.012}, {0.0070, 0.031, 0.0180}, lean), 0, bone);
    const std::size_t bowl = addCarving(turnedBall({0.0800, 1.618, -0.009}, {0.0055, 0.0165, 0.0090}, lean), 0.005);
    addPair(addGroup(0.010, {shell, bowl}));
    return addGroup(0.025, parts);
}

std::size_t BipedShape::arm() {
    const ArmFrame& a = leftArm();
    const std::size_t limb = addSolid(std::make_unique<Loft>(Loft::Frame{a.shoulder, a.along, a.side, -a.palm},
                                                             std::vector<Station>{
                                                                 {0.000, 0.000, 0.000, 0.058, 0.054, 0.050},
                                                                 {0.055, 0.001, 0.003, 0.058, 0.052, 0.053},
                                                                 {0.115, 0.003, 0.001, 0.050, 0.046, 0.047},
                                                                 {0.170, 0.005, 0.000, 0.046, 0.041, 0.041},
                                                                 {0.230, 0.003, 0.000, 0.040, 0.036, 0.037},
                                                                 {0.280, 0.000, 0.000, 0.037, 0.033, 0.034},
                                                                 {0.330, 0.003, 0.000, 0.041, 0.035, 0.036},
                                                                 {0.375, 0.003, 0.000, 0.040, 0.034, 0.035},
                                                                 {0.430, 0.001, 0.000, 0.034, 0.028, 0.029},
                                                                 {0.490, 0.000, 0.000, 0.028, 0.021, 0.022},
                                                                 {0.530, 0.000, 0.000, 0.0265, 0.0185, 0.0195},
                                                                 {0.560, 0.000, 0.000, 0.0280, 0.0170, 0.0170},
                                                             },
                                                             0.1, 0.055, 0.02),
                                      0, {"upper_arm_L", "forearm_L", "hand_L"});
    const Vec3d elbow = a.shoulder + a.along * a.elbow;
    const std::size_t point =
        addSolid(ball(elbow - a.side * 0.026, {0.016, 0.016, 0.013}), 0.02, {"upper_arm_L", "forearm_L"});
    return addGroup(0.055, {limb, point, hand()});
}

std::size_t BipedShape::hand() {
    const ArmFrame& a = leftArm();
    const Vec3d wrist = a.shoulder + a.along * a.wrist;
    const std::size_t palm = addSolid(std::make_unique<Loft>(Loft::Frame{wrist, a.along, a.side, -a.palm},
                                                             std::vector<Station>{
                                                                 {0.020, 0.001, 0.000, 0.027, 0.015, 0.014},
                                                                 {0.045, 0.001, 0.000, 0.035, 0.015, 0.0145},
                                                                 {0.070, 0.001, 0.001, 0.0385, 0.014, 0.0135},
                                                                 {0.088, 0.001, 0.001, 0.0385, 0.012, 0.0115},
                                                             },
                                                             0.3, 0.03, 0.007),
                                      0, {"hand_L"});
    const std::vector<BipedJoint>& joints = bipedJoints();
    const auto finger = [&](const std::string& name, double blend, std::array<double, 4> r) {
        std::vector<std::size_t> bones;
        for (int i = 0; i < 3; ++i) {
            const std::string joint = name + "_" + std::to_string(i + 1) + "_L";
            const BipedJoint& j = joints[bipedJoint(joint)];
            bones.push_back(addSolid(cone(j.position, j.tail, r[i], r[i + 1]), 0.003, {joint.c_str()}));
        }
        return addGroup(blend, bones);
    };
    const std::size_t thumb = finger("thumb", 0.018, {0.0150, 0.0112, 0.0098, 0.0080});
    const std::size_t fingers = addGroup(0.014, {finger("index", 0.003, {0.0092, 0.0085, 0.0079, 0.0068}),
                                                 finger("middle", 0.003, {0.0094, 0.0087, 0.0081, 0.0070}),
                                                 finger("ring", 0.003, {0.0092, 0.0085, 0.0079, 0.0068}),
                                                 finger("pinky", 0.003, {0.0084, 0.0077, 0.0072, 0.0062})});
    return addGroup(0.025, {palm, thumb, fingers});
}

std::size_t BipedShape::leg() {
    const std::size_t limb = addSolid(std::make_unique<Loft>(kUpright,
                                                             std::vector<Station>{
                                                                 {0.085, 0.106, -0.024, 0.030, 0.036, 0.034},
                                                                 {0.140, 0.106, -0.020, 0.0295, 0.034, 0.031},
                                                                 {0.210, 0.105, -0.017, 0.039, 0.043, 0.036},
                                                                 {0.290, 0.105, -0.013, 0.052, 0.060, 0.044},
                                                                 {0.355, 0.105, -0.008, 0.056, 0.064, 0.047},
                                                                 {0.425, 0.103, 0.002, 0.050, 0.054, 0.047},
                                                                 {0.490, 0.101, 0.009, 0.0475, 0.050, 0.047},
                                                                 {0.545, 0.100, 0.009, 0.052, 0.055, 0.052},
                                                                 {0.620, 0.099, 0.007, 0.063, 0.065, 0.065},
                                                                 {0.710, 0.098, 0.003, 0.075, 0.076, 0.078},
                                                                 {0.800, 0.097, -0.002, 0.083, 0.086, 0.085},
                                                                 {0.865, 0.093, -0.004, 0.081, 0.086, 0.082},
                                                                 {0.920, 0.085, -0.004, 0.069, 0.076, 0.072},
                                                                 {0.970, 0.078, -0.004, 0.050, 0.056, 0.054},
                                                             },
                                                             0.08, 0.03, 0.05),
                                      0, {"thigh_L", "shin_L"});
    const std::size_t kneecap =
        addSolid(ball({0.101, 0.500, 0.036}, {0.030, 0.036, 0.022}), 0.04, {"thigh_L", "shin_L"});
    return addGroup(0.04, {limb, kneecap, foot()});
}

std::size_t BipedShape::foot() {
    // Along the foot, toes slightly outward; u points to the outer side and v up.
    const double out = 0.10;
    const Loft::Frame frame{{0.108, 0, 0}, normalized(Vec3d(out, 0, 1)), normalized(Vec3d(1, 0, -out)), {0, 1, 0}};
    const auto at = [&](double along, double across, double height) {
        return frame.origin + frame.axis * along + frame.u * across + frame.v * height;
    };
    const std::vector<const char*> bones{"foot_L", "toes_L"};
    const std::size_t sole = addSolid(std::make_unique<Loft>(frame,
                                                             std::vector<Station>{
                                                                 {-0.053, 0.000, 0.030, 0.027, 0.029, 0.036},
                                                                 {-0.020, 0.000, 0.034, 0.032, 0.034, 0.046},
                                                                 {0.030, 0.001, 0.034, 0.033, 0.032, 0.044},
                                                                 {0.080, 0.003, 0.026, 0.040, 0.025, 0.031},
                                                                 {0.118, 0.003, 0.019, 0.044, 0.018, 0.020},
                                                                 {0.142, 0.001, 0.014, 0.040, 0.013, 0.013},
                                                             },
                                                             0.30, 0.024, 0.012),
                                      0, bones);
    std::vector<std::size_t> toes;
    const auto toe = [&](double across, double inward, double tip, double r) {
        toes.push_back(
            addSolid(cone(at(0.122, across, r + 0.003), at(tip, across + inward, r), r, r * 0.95), 0.006, bones));
    };
    toe(-0.0242, 0.001, 0.176, 0.0135);
    toe(-0.0050, 0.000, 0.177, 0.0096);
    toe(0.0100, 0.000, 0.171, 0.0091);
    toe(0.0244, 0.000, 0.163, 0.0087);
    toe(0.0380, -0.001, 0.151, 0.0084);
    const std::size_t front = addGroup(0.014, toes);
    const std::size_t inner =
        addSolid(ball(at(-0.022, -0.0240, 0.086), {0.007, 0.013, 0.012}), 0.02, {"shin_L", "foot_L"});
    const std::size_t outer =
        addSolid(ball(at(-0.028, 0.0240, 0.078), {0.007, 0.013, 0.012}), 0.02, {"shin_L", "foot_L"});
    return addGroup(0.06, {sole, front, inner, outer});
}

void BipedShape::sizings() {
    const std::vector<BipedJoint>& joints = bipedJoints();
    for (const BipedJoint& j : joints) {
        const std::string stem = j.name.substr(0, j.name.size() - 1);
        if (!j.name.ends_with("_L") || !(stem.ends_with("1_") || stem.ends_with("2_") || stem.ends_with("3_")))
            continue;
        const bool thumb = j.name.starts_with("thumb");
        sizings_.push_back({j.position, j.tail, thumb ? 0.013 : 0.010, 0.55, thumb ? 0.0045 : 0.0036});
    }
    const BipedJoint& hand = joints[bipedJoint("hand_L")];
    sizings_.push_back({hand.position, hand.tail, 0.045, 0.7, 0.010});
    sizings_.push_back({{0.082, 1.640, -0.014}, {0.080, 1.595, -0.012}, 0.014, 0.40, 0.006});  // ear
    sizings_.push_back({{0.0, 1.630, 0.088}, {0.0, 1.595, 0.095}, 0.016, 0.40, 0.007});        // nose
    sizings_.push_back({{0.0, 1.561, 0.085}, {0.018, 1.561, 0.078}, 0.010, 0.28, 0.006});      // mouth
    sizings_.push_back({{0.025, 1.636, 0.075}, {0.038, 1.636, 0.070}, 0.016, 0.34, 0.006});    // eye
    sizings_.push_back({{0.087, 0.015, 0.165}, {0.157, 0.015, 0.140}, 0.018, 0.40, 0.005});    // toes
    sizings_.push_back({{0.0, 1.066, 0.090}, {0.0, 1.058, 0.090}, 0.008, 0.30, 0.008});        // navel
    sizings_.push_back({{0.110, 0.030, -0.050}, {0.120, 0.020, 0.150}, 0.045, 0.8, 0.015});    // foot
}

}  // namespace pelt::scenes
