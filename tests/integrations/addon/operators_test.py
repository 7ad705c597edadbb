"""Each operator does in the scene what the verb of the program does with the same character."""
import json

import bpy
import numpy as np
from common import *
import common


def weights_of(mesh_object, names):
    """(V, J) of the vertex groups."""
    found = np.zeros((len(mesh_object.data.vertices), len(names)))
    for number, vertex in enumerate(mesh_object.data.vertices):
        for entry in vertex.groups:
            group = mesh_object.vertex_groups[entry.group].name
            if group in names:
                found[number, names.index(group)] = entry.weight
    return found


class Binding(SceneTest):
    def check(self, method):
        new_scene()
        rig, bar = make_bar()
        bar.vertex_groups.new(name="mask").add([1, 2], 0.5, "REPLACE")
        if method == "bbw":
            for name in ("low", "middle", "high"):
                bar.vertex_groups.remove(bar.vertex_groups[name])
            bar.modifiers.clear()
            choose(bar, rig)
        file, bound = common.FOLDER / "unbound.glb", common.FOLDER / "bound.glb"
        skin = save(rig, [bar], file)
        program("bind", file, "--method", method, "-o", bound)
        bpy.context.scene.pelt.bind_method = method.upper()
        with self.undoable():
            bpy.ops.pelt.bind()
        rig, bar = bpy.data.objects["rig"], bpy.data.objects["bar"]
        expected = pelt.load(bound)
        np.testing.assert_allclose(weights_of(bar, expected.joints), expected.weights_dense(), atol=1e-6)
        self.assertAlmostEqual(bar.vertex_groups["mask"].weight(1), 0.5, msg="a group that names no bone was changed")
        bend(rig)
        self.assert_same(shown(bar), told(rig, [bar], "lbs"))
        again = common.FOLDER / "bound_pose.glb"
        save(rig, [bar], again)
        expected = deformed(bound, "--clips", again, "--clip", 0, "--method", "lbs")[0]
        self.assert_same(shown(bar), placed(skin, rig, expected))

    def test_rigid(self):
        self.check("rigid")

    def test_smooth_weights_for_a_mesh_that_has_none_and_a_selected_armature(self):
        self.check("bbw")


class Baking(SceneTest):
    _baked = {}  # what the program says, once for all tests

    def told(self, file):
        """The report of the program, the baked file and its frames (F, V, 3)."""
        if not self._baked:
            baked = common.FOLDER / "baked.glb"
            report = program("bake", file, "--helpers", 4, "-o", baked)
            self._baked.update(report=report, baked=baked, frames=deformed(baked, "--method", "lbs", "--clip", 0))
        return self._baked["report"], self._baked["baked"], self._baked["frames"]

    def check(self, motion):
        """Over the frames that were baked and, by drivers, in a pose that was not."""
        armature, meshes = opened(sample("biped", "--skin", "smooth", resolution=1500))
        current, names = bpy.context.scene, [armature.name, *(each.name for each in meshes)]
        current.frame_start, current.frame_end, current.pelt.step = 0, 30, 3
        current.pelt.helpers, current.pelt.helper_motion = 4, motion
        file = common.FOLDER / "scene.glb"
        frames = range(0, 31, 3)
        skin = save(armature, meshes, file, frames)
        report, baked, told_frames = self.told(file)
        self.assertGreater(len(report["helpers"]), 0)
        current.frame_set(7)
        with self.undoable():
            bpy.ops.pelt.bake()
        current = bpy.context.scene
        self.assertEqual(current.frame_current, 7)
        armature, meshes = bpy.data.objects[names[0]], [bpy.data.objects[name] for name in names[1:]]
        helpers = [b.name for b in armature.data.bones if b.get("pelt_helper")]
        self.assertEqual(len(helpers), len(report["helpers"]))
        for number, frame in enumerate(frames):
            current.frame_set(frame)
            self.assert_same(shown(*meshes), placed(skin, armature, told_frames[number]), f"frame {frame}")
        return armature, meshes, skin, baked

    def test_helpers_by_keys(self):
        armature, _, _, _ = self.check("KEYS")
        self.assertEqual(len(armature.animation_data.drivers), 0)

    def test_helpers_by_drivers_follow_any_pose_without_python(self):
        armature, meshes, skin, baked = self.check("DRIVERS")
        drivers = armature.animation_data.drivers
        self.assertTrue(all(curve.driver.is_simple_expression and curve.driver.is_valid for curve in drivers))
        armature.animation_data.action = None
        names = [b.name for b in armature.data.bones if not b.get("pelt_helper")]
        for number, name in enumerate(names):
            bone = armature.pose.bones[name]
            bone.rotation_mode = "XYZ"
            bone.rotation_euler = (0.7 * math.sin(number), 0.4 * math.cos(3 * number), 0.5 * math.sin(2 * number))
        bpy.context.view_layer.update()
        pose = common.FOLDER / "pose.glb"
        poses = scene.pose_matrices(armature, skin.bones.names, bpy.context.evaluated_depsgraph_get())
        pose.write_bytes(skins.to_bytes(skin, poses[np.newaxis])[0])
        expected = deformed(baked, "--clips", pose, "--clip", 0, "--method", "lbs")[0]
        self.assert_same(shown(*meshes), placed(skin, armature, expected))

    def test_baking_a_mush_takes_it_away_and_baking_again_replaces_the_helpers(self):
        new_scene()
        rig, bar = make_bar()
        bpy.context.scene.pelt.helpers = 2
        bpy.ops.pelt.mush()
        bend(rig, 0.6)
        mushed = shown(bar)
        bpy.ops.pelt.bake()
        self.assertEqual([m.type for m in bar.modifiers], ["ARMATURE"])
        self.assert_same(shown(bar), mushed, "the baked skin is near the mush", tolerance=0.03)
        count = len(rig.data.bones)
        bpy.ops.pelt.bake()
        self.assertEqual(len(rig.data.bones), count)

    def test_a_baked_file_still_works(self):
        new_scene()
        rig, bar = make_bar()
        bpy.context.scene.pelt.helpers = 2
        bpy.ops.pelt.bake()
        bend(rig)
        before, file = shown(bar), common.FOLDER / "baked.blend"
        bpy.ops.wm.save_as_mainfile(filepath=str(file))
        bpy.ops.wm.open_mainfile(filepath=str(file))
        bend(bpy.data.objects["rig"], 0.1)
        bend(bpy.data.objects["rig"])
        self.assert_same(shown(bpy.data.objects["bar"]), before)


class FromMeshes(SceneTest):
    """Fit and Decompose."""

    def keyed_bar(self):
        new_scene()
        rig, bar = make_bar()
        animate(rig, 9)
        bar.shape_key_add(name="Basis")
        swell = bar.shape_key_add(name="swell")
        for point in swell.data:
            point.co.xy *= 1 + 0.3 * math.exp(-4 * (point.co.z - 1.5) ** 2)
        for frame, value in ((1, 0.0), (9, 1.0)):
            swell.value = value
            swell.keyframe_insert("value", frame=frame)
        return rig, bar

    def all_frames(self, mesh_object, frames):
        found = []
        for frame in frames:
            bpy.context.scene.frame_set(frame)
            found.append(shown(mesh_object))
        return np.array(found)

    def test_fit_makes_a_plain_skin_of_shape_keys(self):
        rig, bar = self.keyed_bar()
        bpy.context.scene.pelt.extra_bones = 4
        frames, file = range(1, 10), common.FOLDER / "to_fit.glb"
        examples = self.all_frames(bar, frames)
        skin = save(rig, [bar], file, frames)
        np.save(common.FOLDER / "examples.npy", examples.astype(np.float32))
        report = program(
            "fit", file, common.FOLDER / "examples.npy", "--max-extra-joints", 4, "-o", common.FOLDER / "fitted.glb"
        )
        with self.undoable():
            bpy.ops.pelt.fit()
        made, rig = bpy.data.objects["bar_fit"], bpy.data.objects["rig"]
        self.assertIsNone(made.data.shape_keys)
        expected = deformed(common.FOLDER / "fitted.glb", "--method", "lbs", "--clip", 0)
        self.assert_same(self.all_frames(made, frames), expected)
        self.assertTrue(bpy.data.objects["bar"].hide_render)
        self.assertLess(report["rms"], report["rms_own_weights"])

    def test_fit_shows_weights_of_any_sign_beside_the_plain_skin(self):
        rig, bar = self.keyed_bar()
        bpy.context.scene.pelt.extra_bones = 4
        frames, file = range(1, 10), common.FOLDER / "to_fit_signed.glb"
        np.save(common.FOLDER / "signed.npy", self.all_frames(bar, frames).astype(np.float32))
        save(rig, [bar], file, frames)
        fitted = common.FOLDER / "fitted_signed.glb"
        program("fit", file, common.FOLDER / "signed.npy", "--max-extra-joints", 4, "--signed", "-o", fitted)
        bpy.ops.pelt.fit(signed=True)
        made, rig = bpy.data.objects["bar_fit"], bpy.data.objects["rig"]
        self.assert_same(self.all_frames(made, frames), deformed(fitted, "--method", "ddm", "--clip", 0))
        with self.assertRaises(RuntimeError):
            bpy.ops.pelt.bake()
        choose(made)
        bpy.ops.pelt.unmush()
        self.assert_same(self.all_frames(made, frames), deformed(fitted, "--method", "lbs", "--clip", 0))

    def test_decompose_finds_bones_that_play_a_mesh_cache(self):
        rig, bar = self.keyed_bar()
        frames = range(1, 10)
        cache = common.FOLDER / "bar.mdd"
        self.write_mdd(cache, self.all_frames(bar, frames))
        bpy.data.objects.remove(rig)
        bar.modifiers.clear()
        bar.shape_key_clear()
        modifier = bar.modifiers.new("cache", "MESH_CACHE")
        modifier.cache_format, modifier.filepath, modifier.frame_start = "MDD", str(cache), 1
        modifier.forward_axis, modifier.up_axis = "POS_Y", "POS_Z"
        self.decomposed(bar, frames)

    def write_mdd(self, file, shapes):
        """Frames (F, V, 3), y up, in the scene's own axes."""
        import struct as packing

        back = matrices.moved(shapes.reshape(-1, 3), np.linalg.inv(matrices.Y_UP)).reshape(shapes.shape)
        head = packing.pack(">ii", *shapes.shape[:2])
        times = np.arange(len(shapes)).astype(">f4") / FPS
        file.write_bytes(head + times.astype(">f4").tobytes() + back.astype(">f4").tobytes())

    def test_decompose_finds_bones_that_play_alembic(self):
        if "alembic_export" not in dir(bpy.ops.wm):
            self.skipTest("this Blender was built without Alembic")
        rig, bar = self.keyed_bar()
        frames, file = range(1, 10), common.FOLDER / "bar.abc"
        before = self.all_frames(bar, frames)
        choose(bar)
        bpy.ops.wm.alembic_export(filepath=str(file), start=1, end=9, selected=True, as_background_job=False)
        new_scene()
        bpy.ops.wm.alembic_import(filepath=str(file), as_background_job=False)
        bar = next(o for o in bpy.data.objects if o.type == "MESH")
        self.assert_same(self.all_frames(bar, frames), before, "Blender's Alembic", tolerance=1e-4)
        self.decomposed(bar, frames)

    def decomposed(self, bar, frames):
        current = bpy.context.scene
        current.frame_start, current.frame_end, current.pelt.bones = frames[0], frames[-1], 4
        choose(bar)
        shapes = self.all_frames(bar, frames)
        rest = common.FOLDER / "rest.obj"
        world = matrices.Y_UP @ matrices.of(bar.matrix_world)
        points = matrices.moved(scene.rest_positions(bar.data).astype(float), world)
        triangles = scene.triangles_of(bar.data) + 1
        rest.write_text(
            "".join(f"v {x:.9g} {y:.9g} {z:.9g}\n" for x, y, z in points)
            + "".join(f"f {a} {b} {c}\n" for a, b, c in triangles)
        )
        np.save(common.FOLDER / "shapes.npy", shapes.astype(np.float32))
        name = bar.name
        program(
            "decompose", common.FOLDER / "shapes.npy", "--rest", rest, "--bones", 4, "-o", common.FOLDER / "found.glb"
        )
        with self.undoable():
            bpy.ops.pelt.decompose()
        expected = deformed(common.FOLDER / "found.glb", "--method", "lbs", "--clip", 0)
        self.assert_same(self.all_frames(bpy.data.objects[f"{name}_bones"], frames), expected)
        file = common.FOLDER / "decomposed.blend"
        bpy.ops.wm.save_as_mainfile(filepath=str(file))
        bpy.ops.wm.open_mainfile(filepath=str(file))
        self.assert_same(self.all_frames(bpy.data.objects[f"{name}_bones"], frames), expected, "in the saved file")


class Posing(SceneTest):
    def test_pins_pose_the_armature_as_the_program_does(self):
        armature, meshes = opened(sample("biped", "--skin", "smooth", resolution=1500))
        play("nothing")
        armature.animation_data_clear()
        for bone in armature.pose.bones:
            bone.matrix_basis.identity()
        bpy.context.view_layer.update()
        choose(armature)
        for bone in armature.data.bones:
            bone.select = bone.name in ("pelvis", "hand_L")
        bpy.ops.pelt.pin()
        pins = {o.pelt.bone: o for o in bpy.data.objects if o.pelt.bone}
        self.assertEqual(set(pins), {"pelvis", "hand_L"})
        start = np.array([pins[name].matrix_world.translation for name in ("pelvis", "hand_L")])
        start = matrices.moved(start, matrices.Y_UP)
        pins["pelvis"].pelt.turns = True
        pins["hand_L"].location.z += 0.25
        pins["hand_L"].location.y -= 0.1
        bpy.context.view_layer.update()
        file, handles, posed = (common.FOLDER / name for name in ("to_pose.glb", "handles.json", "posed.glb"))
        save(armature, meshes, file)
        handles.write_text(
            json.dumps(
                {
                    "handles": [
                        {"joint": "pelvis", "constraint": "hold"},
                        {"joint": "hand_L", "constraint": "position", "target": (start[1] + [0, 0.25, 0.1]).tolist()},
                    ]
                }
            )
        )
        program("pose", file, "--handles", handles, "--clip", 0, "--at", 0, "-o", posed)
        choose(pins["hand_L"])
        names = [each.name for each in meshes]
        rig = armature.name
        with self.undoable():
            bpy.ops.pelt.pose()
        meshes = [bpy.data.objects[name] for name in names]
        self.assert_same(shown(*meshes), deformed(posed, "--method", "lbs", "--clip", "pose")[0])
        hand = bpy.data.objects[rig].pose.bones["hand_L"].head
        self.assertLess((hand - bpy.data.objects["Pin hand_L"].location).length, 1e-3)

    def test_a_pose_of_pins_that_have_not_moved_is_the_pose_of_now(self):
        armature, meshes = opened(sample("biped", "--skin", "smooth", resolution=1500))
        at(0.5)
        before = shown(*meshes)
        choose(armature)
        for bone in armature.data.bones:
            bone.select = bone.name in ("foot_L", "hand_R")
        bpy.ops.pelt.pin()
        armature.animation_data.action = None
        bpy.ops.pelt.pose()
        self.assert_same(shown(*meshes), before)
