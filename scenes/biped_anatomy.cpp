// The biped's measures, in metres: a figure of 1.75 m and about 7.2 heads. Heights and depths of the stations read
// like a tailor's sheet: (height, middle in x, middle in z, half width, depth to the back, depth to the front).

#include <cmath>

#include "biped_shape.h"
#include "biped_skeleton.h"

namespace pelt::scenes {
namespace {

const Loft::Frame kUpright{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}};

std::unique_ptr<Solid> cone(const Vec3d& a, const Vec3d& b, double ra, double rb) {
    return std::make_unique<RoundCone>(a, b, ra, rb);
}

std::unique_ptr<Solid> ball(const Vec3d& centre, const Vec3d& radii) {
    return std::make_unique<Ellipsoid>(centre, radii);
}

/// An ellipsoid turned about x, then about y, then about z (degrees).
std::unique_ptr<Solid> turnedBall(const Vec3d& centre, const Vec3d& radii, const Vec3d& degrees) {
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
    return std::make_unique<Ellipsoid>(centre, radii, axes);
}

}  // namespace

std::size_t BipedShape::torso() {
    const std::size_t trunk =
        addSolid(std::make_unique<Loft>(kUpright,
                                        std::vector<Station>{{0.850, 0, -0.005, 0.110, 0.080, 0.075},
                                                             {0.905, 0, -0.008, 0.152, 0.098, 0.090},
                                                             {0.965, 0, -0.006, 0.158, 0.096, 0.094},
                                                             {1.030, 0, -0.002, 0.145, 0.084, 0.092},
                                                             {1.100, 0, 0.002, 0.132, 0.080, 0.088},
                                                             {1.180, 0, 0.000, 0.139, 0.092, 0.094},
                                                             {1.270, 0, -0.004, 0.157, 0.106, 0.106},
                                                             {1.340, 0, -0.012, 0.160, 0.104, 0.106},
                                                             {1.400, 0, -0.020, 0.138, 0.088, 0.086},
                                                             {1.440, 0, -0.026, 0.095, 0.066, 0.060}},
                                        0.25, 0.055, 0.03),
                 0, {"pelvis", "spine", "chest", "upper_chest"});
    const std::size_t pectoral =
        addSolid(turnedBall({0.072, 1.305, 0.062}, {0.085, 0.062, 0.040}, {0, 10, -8}), 0.03, {"upper_chest"});
    const std::size_t blade =
        addSolid(turnedBall({0.085, 1.335, -0.085}, {0.070, 0.085, 0.035}, {0, -14, 8}), 0.04, {"upper_chest"});
    const std::size_t buttock = addSolid(ball({0.072, 0.885, -0.060}, {0.082, 0.085, 0.070}), 0.035, {"pelvis"});
    const std::size_t trapezius =
        addSolid(cone({0.030, 1.490, -0.040}, {0.150, 1.415, -0.030}, 0.030, 0.038), 0.05, {"clavicle_L"});
    return addGroup(Kind::blend, 0,
                    {trunk, pectoral, addMirrored(pectoral), blade, addMirrored(blade), buttock, addMirrored(buttock),
                     trapezius, addMirrored(trapezius)});
}

std::size_t BipedShape::neckAndHead() {
    const std::size_t neck =
        addSolid(std::make_unique<Loft>(kUpright,
                                        std::vector<Station>{{1.400, 0, -0.040, 0.066, 0.050, 0.050},
                                                             {1.465, 0, -0.030, 0.055, 0.052, 0.048},
                                                             {1.530, 0, -0.018, 0.051, 0.052, 0.046},
                                                             {1.600, 0, -0.010, 0.050, 0.055, 0.045}},
                                        0.0, 0.04, 0.03),
                 0, {"upper_chest", "neck", "head"});
    return addGroup(Kind::blend, 0.045, {neck, head()});
}

std::size_t BipedShape::head() {
    const std::vector<const char*> bone{"head"};
    const std::size_t cranium = addSolid(ball({0, 1.655, -0.020}, {0.077, 0.096, 0.096}), 0, bone);
    const std::size_t face =
        addSolid(std::make_unique<Loft>(kUpright,
                                        std::vector<Station>{{1.524, 0, 0.052, 0.026, 0.030, 0.030},
                                                             {1.545, 0, 0.042, 0.042, 0.045, 0.043},
                                                             {1.580, 0, 0.030, 0.056, 0.055, 0.055},
                                                             {1.615, 0, 0.020, 0.064, 0.060, 0.064},
                                                             {1.650, 0, 0.014, 0.067, 0.060, 0.067},
                                                             {1.690, 0, 0.008, 0.066, 0.060, 0.069}},
                                        0.15, 0.014, 0.045),
                 0.03, bone);
    const std::size_t nose = addSolid(cone({0, 1.650, 0.076}, {0, 1.612, 0.094}, 0.007, 0.0115), 0.012, bone);
    const std::size_t wing = addSolid(ball({0.009, 1.608, 0.088}, {0.008, 0.007, 0.009}), 0.008, bone);
    const std::size_t socket = addCarving(turnedBall({0.031, 1.650, 0.096}, {0.021, 0.013, 0.020}, {0, 18, 0}), 0.022);
    const std::size_t eye = addSolid(ball({0.030, 1.649, 0.062}, {0.0135, 0.0125, 0.0135}), 0.006, bone);
    const std::size_t lips = addSolid(ball({0, 1.573, 0.080}, {0.021, 0.008, 0.010}), 0.012, bone);
    const std::size_t ear =
        addSolid(turnedBall({0.078, 1.633, -0.012}, {0.008, 0.031, 0.019}, {-14, 24, -8}), 0.012, bone);
    return addGroup(Kind::blend, 0.025,
                    {cranium, face, socket, addMirrored(socket), eye, addMirrored(eye), nose, wing, addMirrored(wing),
                     lips, ear, addMirrored(ear)});
}

std::size_t BipedShape::arm() {
    const ArmFrame& a = leftArm();
    const std::size_t limb =
        addSolid(std::make_unique<Loft>(Loft::Frame{a.shoulder, a.along, a.side, -a.palm},
                                        std::vector<Station>{{0.000, 0.000, 0.000, 0.058, 0.056, 0.050},
                                                             {0.060, 0.002, 0.002, 0.057, 0.052, 0.052},
                                                             {0.115, 0.003, 0.000, 0.050, 0.046, 0.047},
                                                             {0.170, 0.004, 0.000, 0.047, 0.042, 0.042},
                                                             {0.230, 0.002, 0.000, 0.042, 0.037, 0.038},
                                                             {0.280, 0.000, 0.000, 0.039, 0.034, 0.036},
                                                             {0.325, 0.002, 0.000, 0.042, 0.036, 0.037},
                                                             {0.370, 0.002, 0.000, 0.041, 0.035, 0.036},
                                                             {0.430, 0.001, 0.000, 0.036, 0.029, 0.030},
                                                             {0.490, 0.000, 0.000, 0.030, 0.022, 0.023},
                                                             {0.530, 0.000, 0.000, 0.0275, 0.0195, 0.0205}},
                                        0.1, 0.055, 0.02),
                 0, {"upper_arm_L", "forearm_L", "hand_L"});
    return addGroup(Kind::blend, 0.055, {limb, hand()});
}

std::size_t BipedShape::hand() {
    const ArmFrame& a = leftArm();
    const Vec3d wrist = a.shoulder + a.along * a.wrist;
    const std::size_t palm =
        addSolid(std::make_unique<Loft>(Loft::Frame{wrist, a.along, a.side, -a.palm},
                                        std::vector<Station>{{0.000, 0.000, 0.000, 0.027, 0.019, 0.019},
                                                             {0.030, 0.001, 0.000, 0.033, 0.018, 0.017},
                                                             {0.060, 0.001, 0.001, 0.038, 0.016, 0.015},
                                                             {0.086, 0.001, 0.001, 0.038, 0.013, 0.012}},
                                        0.3, 0.02, 0.007),
                 0, {"hand_L"});
    std::vector<std::size_t> parts{palm};
    const std::vector<BipedJoint>& joints = bipedJoints();
    const auto finger = [&](const std::string& name, std::array<double, 4> r) {
        std::vector<std::size_t> bones;
        for (int i = 0; i < 3; ++i) {
            const std::string joint = name + "_" + std::to_string(i + 1) + "_L";
            const BipedJoint& j = joints[bipedJoint(joint)];
            bones.push_back(addSolid(cone(j.position, j.tail, r[i], r[i + 1]), 0.004, {joint.c_str()}));
        }
        parts.push_back(addGroup(Kind::blend, 0.014, bones));
    };
    finger("index", {0.0092, 0.0086, 0.0080, 0.0070});
    finger("middle", {0.0094, 0.0088, 0.0082, 0.0072});
    finger("ring", {0.0092, 0.0086, 0.0080, 0.0070});
    finger("pinky", {0.0084, 0.0078, 0.0072, 0.0064});
    finger("thumb", {0.0150, 0.0115, 0.0100, 0.0082});
    return addGroup(Kind::fan, 0.003, parts);
}

std::size_t BipedShape::leg() {
    const std::size_t limb =
        addSolid(std::make_unique<Loft>(kUpright,
                                        std::vector<Station>{{0.095, 0.106, -0.020, 0.033, 0.036, 0.034},
                                                             {0.150, 0.106, -0.018, 0.034, 0.036, 0.033},
                                                             {0.220, 0.105, -0.016, 0.043, 0.047, 0.038},
                                                             {0.300, 0.104, -0.013, 0.053, 0.060, 0.045},
                                                             {0.365, 0.103, -0.008, 0.056, 0.064, 0.048},
                                                             {0.430, 0.102, 0.000, 0.053, 0.056, 0.050},
                                                             {0.490, 0.101, 0.008, 0.053, 0.052, 0.051},
                                                             {0.540, 0.100, 0.008, 0.056, 0.056, 0.054},
                                                             {0.620, 0.099, 0.006, 0.065, 0.066, 0.064},
                                                             {0.710, 0.098, 0.002, 0.074, 0.077, 0.074},
                                                             {0.800, 0.097, -0.002, 0.080, 0.086, 0.080},
                                                             {0.880, 0.094, -0.004, 0.080, 0.086, 0.080},
                                                             {0.930, 0.090, -0.004, 0.072, 0.078, 0.072}},
                                        0.08, 0.03, 0.05),
                 0, {"thigh_L", "shin_L"});
    return addGroup(Kind::blend, 0.045, {limb, foot()});
}

std::size_t BipedShape::foot() {
    // Along the foot, toes a little outwards; u points to the outer side and v up.
    const double out = 0.10;
    const Vec3d along = normalized(Vec3d(out, 0, 1)), across = normalized(Vec3d(1, 0, -out));
    const std::size_t sole =
        addSolid(std::make_unique<Loft>(Loft::Frame{{0.108, 0, 0}, along, across, {0, 1, 0}},
                                        std::vector<Station>{{-0.055, 0.000, 0.032, 0.029, 0.031, 0.034},
                                                             {-0.020, 0.000, 0.036, 0.033, 0.036, 0.045},
                                                             {0.030, 0.001, 0.034, 0.034, 0.033, 0.044},
                                                             {0.080, 0.002, 0.026, 0.041, 0.026, 0.032},
                                                             {0.120, 0.001, 0.019, 0.046, 0.019, 0.023},
                                                             {0.160, -0.003, 0.015, 0.042, 0.015, 0.016}},
                                        0.35, 0.024, 0.026),
                 0.03, {"foot_L", "toes_L"});
    return addGroup(Kind::blend, 0.03, {sole});
}

void BipedShape::sizings() {
    const std::vector<BipedJoint>& joints = bipedJoints();
    for (const BipedJoint& j : joints) {
        if (j.position.x <= 0) continue;
        const bool finger = j.name.find("_1_") != std::string::npos || j.name.find("_2_") != std::string::npos ||
                            j.name.find("_3_") != std::string::npos;
        if (!finger) continue;
        const bool thumb = j.name.starts_with("thumb");
        sizings_.push_back({j.position, j.tail, thumb ? 0.013 : 0.010, 0.55, thumb ? 0.0045 : 0.0036});
    }
    const BipedJoint& hand = joints[bipedJoint("hand_L")];
    sizings_.push_back({hand.position, hand.tail, 0.045, 0.7, 0.008});
    sizings_.push_back({{0.082, 1.655, -0.012}, {0.082, 1.612, -0.012}, 0.016, 0.5, 0.0045});  // ear
    sizings_.push_back({{0.0, 1.650, 0.085}, {0.0, 1.565, 0.090}, 0.020, 0.5, 0.006});         // nose and mouth
    sizings_.push_back({{0.025, 1.650, 0.080}, {0.035, 1.650, 0.075}, 0.018, 0.5, 0.006});     // eye
    sizings_.push_back({{0.110, 0.030, -0.050}, {0.120, 0.020, 0.160}, 0.045, 0.8, 0.012});    // foot
}

}  // namespace pelt::scenes
