"""Helper bones of Bake and Fit: joints that follow others by rules (docs/driven_joints.md of Pelt), as bones with
drivers or with keys.

The drivers use only what Blender computes without Python, so that they work without the add-on and in files that may
run no scripts. Their variables are the local rotation of the driving bone as a quaternion w, x, y, z.
"""
import bpy
import numpy as np

from . import glb, matrices, scene, writing

_LENGTH = 0.04  # of a helper bone, in extents of the character
_TERMS = ("x", "y", "z", "x*x", "y*y", "z*z", "x*y", "y*z", "z*x")


def write(context, skin, armature, result, frames, motion):
    """Adds the helpers of a character that Bake or Fit made, in place of earlier ones. Gives the names of the bones
    of all its joints, in order."""
    file = glb.Reader(result.to_bytes())
    own = set(skin.bones.names)
    _remove_old(context, armature)
    length = _LENGTH * float(np.ptp(skin.positions, axis=0).max())
    joints = {name: (parent, skin.space.T @ bind) for name, parent, bind in file.joints() if name not in own}
    named = {name: name for name in own}
    with writing.EditBones(context, armature) as bones:
        for name, (parent, rest) in joints.items():
            above = bones.get(named[parent]) if parent in named else None
            named[name] = writing.new_bone(bones, name, _rigid(rest), length, above)
    rules = file.rules()
    for name in joints:
        armature.data.bones[named[name]][scene.HELPER] = 1
        rule = rules.get(name)
        if (
            motion == "DRIVERS"
            and rule
            and rule["kind"] != "ddm"
            and all(_plain(armature, skin, each) for each in _inputs(rule))
        ):
            _drive(armature, named[name], rule)
    keyed = [name for name in joints if not _has_drivers(armature, named[name])]
    if keyed and result.clips:
        _write_keys(skin, armature, result, frames, named, keyed)
    return [named[name] for name in result.joints]


def _rigid(rest):
    made = np.array(rest)
    made[:3, :3] = matrices.nearest_rotation(rest[:3, :3])
    return made


def _remove_old(context, armature):
    old = [bone.name for bone in armature.data.bones if bone.get(scene.HELPER)]
    if not old:
        return
    for name in old:
        _remove_curves(armature, name)
    with writing.EditBones(context, armature) as bones:
        for name in old:
            bones.remove(bones[name])


def _path(name):
    return f'pose.bones["{bpy.utils.escape_identifier(name)}"]'


def _remove_curves(armature, name):
    data = armature.animation_data
    for curve in [c for c in (data.drivers if data else ()) if c.data_path.startswith(_path(name))]:
        data.drivers.remove(curve)


def _has_drivers(armature, name):
    data = armature.animation_data
    return bool(data) and any(curve.data_path.startswith(_path(name)) for curve in data.drivers)


# ---- drivers -------------------------------------------------------------------------------------------------------


def _inputs(rule):
    return rule["inputs"] if rule["kind"] == "learned" else [rule["driver"]]


def _plain(armature, skin, name):
    """Whether Blender's local rotation of a bone is the one that rules mean: relative to the joint above it."""
    bone, joint = armature.data.bones[name], skin.bones.index[name]
    parent = skin.bones.parents[joint]
    above = skin.bones.names[parent] if parent >= 0 else None
    return (
        (bone.parent.name if bone.parent else None) == above
        and bone.use_inherit_rotation
        and bone.inherit_scale == "FULL"
        and bone.use_local_location
    )


def _driver(armature, path, index, expression, variables):
    curve = armature.driver_add(path, index) if index is not None else armature.driver_add(path)
    driver = curve.driver
    driver.type = "SCRIPTED"
    for name, kind, source in variables:
        variable = driver.variables.new()
        variable.name = name
        target = variable.targets[0]
        target.id = armature
        if kind == "PROPERTY":
            variable.type, target.data_path = "SINGLE_PROP", source
        else:
            variable.type, target.bone_target, target.transform_type = "TRANSFORMS", source, kind
            target.transform_space, target.rotation_mode = "LOCAL_SPACE", "QUATERNION"
    driver.expression = expression
    return driver


def _turn_of(bone):
    return [(name.lower(), f"ROT_{name}", bone) for name in "WXYZ"]


def _number(value):
    return f"{value:.7g}"


def _drive(armature, name, rule):
    armature.pose.bones[name].rotation_mode = "AXIS_ANGLE"
    {"rotation": _drive_rotation, "scale": _drive_scale, "learned": _drive_learned}[rule["kind"]](armature, name, rule)


def _drive_rotation(armature, name, rule):
    """A fraction of the driver's rotation: the same axis, a fraction of the angle. The rest is the driver's own."""
    path, turn = _path(name), _turn_of(rule["driver"])
    angle = f"{_number(2 * rule['fraction'])}*atan2(sqrt(x*x+y*y+z*z),abs(w))"
    _driver(armature, f"{path}.rotation_axis_angle", 0, angle, turn)
    for index, axis in enumerate("XYZ"):
        signed = f"{axis.lower()} if w>=0 else -{axis.lower()}"
        _driver(armature, f"{path}.rotation_axis_angle", index + 1, signed, turn)
        _driver(armature, f"{path}.location", index, "v", [("v", f"LOC_{axis}", rule["driver"])])
        _driver(armature, f"{path}.scale", index, "v", [("v", f"SCALE_{axis}", rule["driver"])])


def _drive_scale(armature, name, rule):
    """One axis scales with the cosine of the angle at the driver, which is a quadratic form of its quaternion."""
    bone = armature.data.bones[rule["driver"]]
    rest = matrices.of(bone.matrix_local)
    above = matrices.of(armature.data.bones[rule["parent"]].matrix_local)
    ends = [matrices.of(armature.data.bones[child].matrix_local)[:3, 3] for child in rule["children"]]
    inward = rest[:3, :3].T @ (above[:3, 3] - rest[:3, 3])
    outward = rest[:3, :3].T @ sum(end - rest[:3, 3] for end in ends)
    sizes = np.linalg.norm(inward), np.linalg.norm(outward)
    if min(sizes) == 0:
        return
    form = _quadratic(inward / sizes[0], outward / sizes[1])
    cosine = "+".join(f"{_number(value)}*{term}" for term, value in form.items() if abs(value) > 1e-9) or "0"
    sigma = f"(1+{_number(rule['k'] / 2)}*({cosine}+1))".replace("+-", "-")
    base = _number(rule.get("bindScale", 1.0))
    expression = f"{base}/{sigma}" if rule["reciprocal"] else f"{sigma}/{base}"
    _driver(armature, f"{_path(name)}.scale", rule["axis"], expression, _turn_of(rule["driver"]))


def _quadratic(u, v):
    """Coefficients of u · R(w, x, y, z) v."""
    cross = np.cross(v, u)  # u · (q × v) = q · (v × u)
    form = {
        "w*w": u @ v,
        "x*x": 2 * u[0] * v[0] - u @ v,
        "y*y": 2 * u[1] * v[1] - u @ v,
        "z*z": 2 * u[2] * v[2] - u @ v,
        "x*y": 2 * (u[0] * v[1] + u[1] * v[0]),
        "y*z": 2 * (u[1] * v[2] + u[2] * v[1]),
        "z*x": 2 * (u[2] * v[0] + u[0] * v[2]),
    }
    form.update({f"w*{axis}": 2 * cross[k] for k, axis in enumerate("xyz")})
    return form


def _drive_learned(armature, name, rule):
    """A translation and a rotation vector, polynomials of the inputs' rotations: a custom property for each part, since
    an expression has at most 255 letters."""
    bone, path, inputs = armature.pose.bones[name], _path(name), rule["inputs"]
    turn = (
        matrices.of(armature.data.bones[name].matrix_local)[:3, :3].T
        @ matrices.of(armature.data.bones[name].parent.matrix_local)[:3, :3]
    )  # from the parent's space to the helper's
    table = np.array(rule["coefficients"], float).reshape(2, 3, len(inputs), len(_TERMS))
    table = np.einsum("ij,kjnt->kint", turn, table).reshape(6, len(inputs), len(_TERMS))
    bone["pelt"] = [0.0] * (6 * len(inputs))
    for row in range(6):
        for number, source in enumerate(inputs):
            _driver(armature, f'{path}["pelt"]', 6 * number + row, _polynomial(table[row, number]), _turn_of(source))
    parts = [
        [(f"{chr(97 + row)}{n}", "PROPERTY", f'{path}["pelt"][{6 * n + row}]') for n in range(len(inputs))]
        for row in range(6)
    ]
    sums = ["+".join(name for name, _, _ in row) for row in parts]
    for row in range(3):
        _driver(armature, f"{path}.location", row, sums[row], parts[row])
        _driver(armature, f"{path}.rotation_axis_angle", row + 1, sums[row + 3], parts[row + 3])
    length = "sqrt(" + "+".join(f"({each})*({each})" for each in sums[3:]) + ")"
    _driver(armature, f"{path}.rotation_axis_angle", 0, length, sum(parts[3:], []))


def _polynomial(values):
    linear = "+".join(f"{_number(v)}*{t}" for v, t in zip(values[:3], _TERMS[:3]))
    square = "+".join(f"{_number(v)}*{t}" for v, t in zip(values[3:], _TERMS[3:]))
    return f"({linear})*(1 if w>=0 else -1)+{square}".replace("+-", "-")


# ---- keys ----------------------------------------------------------------------------------------------------------


def _write_keys(skin, armature, result, frames, named, keyed):
    """Keys at the frames that were read, from the clip that Pelt wrote."""
    joints = result.joints
    times = np.arange(len(frames)) / glb.FPS
    posed = skin.to_armature(result.skin_matrices(0, times=times).astype(float))
    names = [named[name] for name in joints]
    basis = writing.basis_of(armature, names, posed @ writing.rests_of(armature, names))
    for name in keyed:
        writing.write_keys(armature, named[name], list(frames), basis[:, joints.index(name)])
