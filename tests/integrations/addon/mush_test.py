"""The live mush shows what `pelt deform --method ddm` computes, whatever the scene looks like."""
import math

import bpy
import numpy as np
from common import *
import common


class Spaces(SceneTest):
    """The character that Pelt gets is the one that Blender shows: linear blending of it is Blender's own."""

    def check(self, rig, meshes):
        bend(rig)
        self.assert_same(told(rig, meshes, "lbs"), shown(*meshes), "linear blending is not Blender's")
        plain = shown(*meshes)
        choose(*meshes)
        bpy.ops.pelt.mush()
        expected = told(rig, meshes, "ddm")
        self.assert_same(shown(*meshes), expected)
        self.assert_far(plain, expected)
        bend(rig, -0.5)
        self.assert_same(shown(*meshes), told(rig, meshes, "ddm"), "after another pose")

    def test_a_plain_character(self):
        new_scene()
        rig, bar = make_bar()
        self.check(rig, [bar])

    def test_an_armature_in_other_units_and_lying(self):
        new_scene()
        rig, bar = make_bar(scaled=(0.01, 0.01, 0.01))
        rig.rotation_euler, rig.location = (math.pi / 2, 0.2, 0.7), (0.03, -0.02, 0.01)
        self.check(rig, [bar])

    def test_an_armature_that_is_scaled_unevenly(self):
        new_scene()
        rig, bar = make_bar(scaled=(1, 2, 0.5))
        self.check(rig, [bar])

    def test_a_mesh_in_another_space_than_its_armature(self):
        new_scene()
        rig, bar = make_bar()
        bar.parent = None
        bar.data.transform(Matrix.Rotation(1, 4, "X") @ Matrix.Scale(100, 4))
        bar.matrix_world = (Matrix.Rotation(1, 4, "X") @ Matrix.Scale(100, 4)).inverted()
        rig.rotation_euler = (0.2, 0.1, 0)
        bpy.context.view_layer.update()
        self.check(rig, [bar])

    def test_a_parent_inverse(self):
        new_scene()
        rig, bar = make_bar()
        rig.location = (1, 2, 3)
        bpy.context.view_layer.update()
        bar.matrix_parent_inverse = Matrix.Translation((-1, -2, -3)) @ Matrix.Rotation(0.3, 4, "Z")
        bpy.context.view_layer.update()
        self.check(rig, [bar])

    def test_layered_clothes_are_one_character(self):
        new_scene()
        rig, bar = make_bar()
        cloth = add_tube(rig, "cloth", radius=0.33, rings=21)
        cloth.location = (0.02, 0, 0)
        self.check(rig, sorted([bar, cloth], key=lambda o: o.name))

    def test_a_parent_that_deforms_the_old_way(self):
        new_scene()
        rig, bar = make_bar()
        bar.modifiers.clear()
        bar.parent_type = "ARMATURE"
        self.check(rig, [bar])

    def test_groups_that_name_no_bone_or_one_that_does_not_deform(self):
        new_scene()
        rig, bar = make_bar()
        everything = list(range(len(bar.data.vertices)))
        for name in ("mask", "control"):
            bar.vertex_groups.new(name=name).add(everything, 1.0, "REPLACE")
        self.check(rig, [bar])

    def test_modifiers_below_act_on_what_is_mushed(self):
        new_scene()
        rig, bar = make_bar()
        finer = bar.modifiers.new("finer", "SUBSURF")
        bpy.ops.pelt.mush()
        bend(rig)
        coarse = len(bar.data.vertices)
        self.assertGreater(len(shown(bar)), 3 * coarse)
        finer.show_viewport = False
        self.assert_same(shown(bar), told(rig, [bar], "ddm"))

    def test_a_mirror_above_is_part_of_the_character(self):
        new_scene()
        rig, bar = make_bar()
        bar.data.transform(Matrix.Translation((0.5, 0, 0)))
        bar.modifiers.new("both", "MIRROR")
        with bpy.context.temp_override(object=bar):
            bpy.ops.object.modifier_move_to_index(modifier="both", index=0)
        bpy.ops.pelt.mush()
        bend(rig)
        self.assertEqual(len(shown(bar)), 2 * len(bar.data.vertices))
        self.assert_same(shown(bar), told(rig, [bar], "ddm"))


class Following(SceneTest):
    """The mush follows everything that Blender can do to a character."""

    def mushed(self):
        new_scene()
        rig, bar = make_bar()
        bpy.ops.pelt.mush()
        return rig, bar

    def test_the_mesh_itself_is_never_changed(self):
        new_scene()
        rig, bar = make_bar()
        groups = [(g.group, g.weight) for v in bar.data.vertices for g in v.groups]
        before = scene.vectors(bar.data.vertices).copy(), groups
        bpy.ops.pelt.mush()
        bend(rig)
        np.testing.assert_array_equal(scene.vectors(bar.data.vertices), before[0])
        self.assertEqual([(g.group, g.weight) for v in bar.data.vertices for g in v.groups], before[1])
        bpy.ops.pelt.unmush()
        self.assertEqual([(m.type, m.object) for m in bar.modifiers], [("ARMATURE", rig)])
        self.assert_same(shown(bar), told(rig, [bar], "lbs"), "without the mush")

    def test_objects_that_move(self):
        rig, bar = self.mushed()
        bend(rig)
        rig.pelt.automatic, rig.pelt.lambda_, rig.pelt.kappa = False, 4, 4
        words = ["--lambda", 4, "--kappa", 4]
        rig.location, rig.rotation_euler = (1, 0, 2), (0.4, 0, 1)
        bpy.context.view_layer.update()
        self.assert_same(shown(bar), told(rig, [bar], "ddm", *words), "the armature")
        bar.location, bar.rotation_euler = (0.1, 0, 0.2), (0, 0.3, 0)
        bpy.context.view_layer.update()
        self.assert_same(shown(bar), told(rig, [bar], "ddm", *words), "the mesh in it")
        bar.scale = (1.5, 1, 1)
        bpy.context.view_layer.update()
        self.assert_same(shown(bar), told(rig, [bar], "ddm", *words), "the mesh, scaled in it")

    def test_an_armature_that_moves_without_its_mesh_looks_the_same_in_a_file_that_is_opened_again(self):
        rig, bar = self.mushed()
        bar.parent = None
        bend(rig)
        rig.location, rig.rotation_euler = (0.2, 0.1, 0.3), (0, 0.2, 0)
        bpy.context.view_layer.update()
        before, file = shown(bar), common.FOLDER / "apart.blend"
        bpy.ops.wm.save_as_mainfile(filepath=str(file))
        bpy.ops.wm.open_mainfile(filepath=str(file))
        bend(bpy.data.objects["rig"], 0.5)
        bend(bpy.data.objects["rig"])
        self.assert_same(shown(bpy.data.objects["bar"]), before)

    def test_parameters(self):
        rig, bar = self.mushed()
        bend(rig)
        before = shown(bar)
        rig.pelt.automatic, rig.pelt.lambda_, rig.pelt.kappa, rig.pelt.alpha, rig.pelt.iterations = False, 6, 2, 0.8, 20
        bpy.context.view_layer.update()
        words = ["--lambda", 6, "--kappa", 2, "--alpha", 0.8, "--iterations", 20]
        self.assert_same(shown(bar), told(rig, [bar], "ddm", *words))
        self.assert_far(shown(bar), before)
        rig.pelt.lambda_, rig.pelt.kappa, words = 0.5, 0.3, ["--lambda", 0.5, "--kappa", 0.3, *words[4:]]
        for name, value, word in (
            ("start", "KEEP", ["--bind", "keep"]),
            ("laplacian", "UNIFORM", ["--laplacian", "uniform"]),
            ("smoothing", "EXPLICIT", ["--smoothing", "explicit"]),
        ):
            setattr(rig.pelt, name, value)
            words += word
            bpy.context.view_layer.update()
            self.assert_same(shown(bar), told(rig, [bar], "ddm", *words), value)

    def test_maps_are_vertex_groups(self):
        rig, bar = self.mushed()
        bend(rig)
        before = shown(bar)
        half = [v.index for v in bar.data.vertices if v.co.z > 1.5]
        bar.vertex_groups.new(name="soft").add(half, 0.25, "REPLACE")
        rig.pelt.lambda_group = "soft"
        bpy.context.view_layer.update()
        file = common.FOLDER / "told.glb"
        skin = save(rig, [bar], file, maps={"_LAMBDA": "soft"})
        expected = deformed(file, "--method", "ddm", "--lambda-map", "_LAMBDA")[0]
        self.assert_same(shown(bar), placed(skin, rig, expected))
        self.assert_far(shown(bar), before)

    def test_edits_of_mesh_weights_and_bones(self):
        rig, bar = self.mushed()
        bend(rig)
        bar.data.vertices[40].co.x += 0.2
        bar.data.update()
        bpy.context.view_layer.update()
        self.assert_same(shown(bar), told(rig, [bar], "ddm"), "mesh")
        bar.vertex_groups["low"].add(list(range(150)), 1.0, "REPLACE")
        bar.data.update()
        bpy.context.view_layer.update()
        self.assert_same(shown(bar), told(rig, [bar], "ddm"), "weights")
        choose(rig)
        bpy.ops.object.mode_set(mode="EDIT")
        rig.data.edit_bones["high"].head.x += 0.1
        bpy.ops.object.mode_set(mode="OBJECT")
        bpy.context.view_layer.update()
        self.assert_same(shown(bar), told(rig, [bar], "ddm"), "bones")

    def test_duplicates_follow_their_own_armature(self):
        rig, bar = self.mushed()
        choose(bar, rig)
        bpy.ops.object.duplicate()
        copy = next(o for o in bpy.context.selected_objects if o.type == "MESH")
        other = copy.pelt.armature
        self.assertNotIn(other, (rig, None))
        bend(other, 0.4)
        bend(rig, 0.9)
        self.assert_same(shown(copy), told(other, [copy], "ddm"), "the copy")
        self.assert_same(shown(bar), told(rig, [bar], "ddm"), "the original")

    def test_shape_keys_deform_the_rest_shape(self):
        new_scene()
        rig, bar = make_bar()
        bar.shape_key_add(name="Basis")
        swell = bar.shape_key_add(name="swell")
        for point in swell.data:
            point.co.xy *= 1 + 0.5 * math.sin(point.co.z)
        for polygon in bar.data.polygons:
            polygon.use_smooth = True
        bpy.ops.pelt.mush()
        bend(rig)
        before = shown(bar)
        swell.value = 0.7
        bpy.context.view_layer.update()
        self.assert_far(shown(bar), before)
        self.assert_same(shown(bar), self.exported(bar))
        swell.value = 0
        bpy.context.view_layer.update()
        self.assert_same(shown(bar), before, "back at rest")

    def exported(self, bar):
        """The pose of now as Blender's own exporter writes it, with morph targets, and as the program deforms that."""
        file = common.FOLDER / "keyed.glb"
        bpy.ops.pelt.unmush()
        for each in bpy.data.objects:
            if each.animation_data is None and each.type == "ARMATURE":
                for bone in each.pose.bones:
                    bone.keyframe_insert("rotation_euler", frame=1)
        bar.data.shape_keys.key_blocks["swell"].keyframe_insert("value", frame=1)
        bpy.ops.export_scene.gltf(filepath=str(file), export_morph=True, export_optimize_animation_size=False)
        bpy.ops.pelt.mush()
        found = deformed(file, "--method", "ddm", "--clip", 0)[0]
        away = np.linalg.norm(pelt.load(file).positions[:, np.newaxis] - self.rest(bar), axis=2)
        return found[away.argmin(axis=0)]  # the exporter splits vertices

    def rest(self, bar):
        world = matrices.Y_UP @ matrices.of(bar.matrix_world)
        return matrices.moved(scene.rest_positions(bar.data).astype(float), world)


class Keeping(SceneTest):
    """Undo, files and rendering."""

    def test_undo_and_redo(self):
        new_scene()
        rig, bar = make_bar()
        bend(rig)
        plain = shown(bar)
        with self.undoable():
            bpy.ops.pelt.mush()
            mushed = shown(bar)
        bar = bpy.data.objects["bar"]
        self.assert_same(shown(bar), mushed, "after redo")
        bpy.ops.ed.undo()
        bar = bpy.data.objects["bar"]
        self.assert_same(shown(bar), plain, "after undo")

    def test_undoing_a_pose(self):
        new_scene()
        rig, bar = make_bar()
        bpy.ops.pelt.mush()
        bend(rig, 0.3)
        before = shown(bar)
        bpy.ops.ed.undo_push(message="a pose")
        bend(rig, 0.9)
        bpy.ops.ed.undo_push(message="another")
        self.assert_far(shown(bar), before)
        bpy.ops.ed.undo()
        self.assert_same(shown(bpy.data.objects["bar"]), before)

    def test_a_saved_file_still_works(self):
        new_scene()
        rig, bar = make_bar()
        rig.pelt.alpha = 0.7
        bpy.ops.pelt.mush()
        animate(rig)
        file = common.FOLDER / "saved.blend"
        bpy.context.scene.frame_set(5)
        bpy.ops.wm.save_as_mainfile(filepath=str(file))
        new_scene()
        bpy.ops.wm.open_mainfile(filepath=str(file))
        rig, bar = bpy.data.objects["rig"], bpy.data.objects["bar"]
        for frame in (5, 9):
            bpy.context.scene.frame_set(frame)
            self.assert_same(shown(bar), told(rig, [bar], "ddm", "--alpha", 0.7), f"frame {frame}")

    def test_rendering_follows_the_time_line(self):
        new_scene()
        rig, bar = make_bar()
        bpy.ops.pelt.mush()
        animate(rig, 3)
        current = bpy.context.scene
        current.camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
        current.collection.objects.link(current.camera)
        current.render.engine, current.cycles.samples, current.cycles.use_denoising = "CYCLES", 1, False
        current.render.resolution_x = current.render.resolution_y = 8
        current.render.filepath = str(common.FOLDER / "frame")
        points = scene.mush_modifier(bar)[scene.shape_input(scene.mush_modifier(bar))].data
        rendered = []
        note = lambda *_: rendered.append(scene.vectors(points.vertices).copy())
        bpy.app.handlers.render_post.append(note)
        bpy.ops.render.render(animation=True)
        bpy.app.handlers.render_post.remove(note)
        self.assertEqual(len(rendered), 3)
        for frame, found in enumerate(rendered, 1):
            current.frame_set(frame)
            self.assert_same(
                matrices.moved(found.astype(float), matrices.Y_UP @ matrices.of(bar.matrix_world)),
                told(rig, [bar], "ddm"),
                f"frame {frame}",
            )
