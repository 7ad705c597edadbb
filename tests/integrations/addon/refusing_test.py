"""Bad input: one clear sentence, and nothing in the scene is changed."""
import bpy
from common import *

EVERY = ("bind", "mush", "bake", "fit", "check", "limit", "lod")


class Refusing(SceneTest):
    def every(self, *words, of=EVERY):
        for name in of:
            with self.subTest(name):
                self.assert_refused(getattr(bpy.ops.pelt, name), *words)

    def test_an_object_without_armature(self):
        new_scene()
        bpy.ops.mesh.primitive_cube_add()
        self.every("'Cube' follows no armature")
        self.assert_refused(bpy.ops.pelt.pose, "no armature to pose")
        self.assert_refused(bpy.ops.pelt.decompose, "does not move")

    def test_an_object_that_is_no_mesh(self):
        new_scene()
        bpy.ops.object.light_add()
        self.every("no mesh and no armature")
        self.assert_refused(bpy.ops.pelt.decompose, "is no mesh")

    def test_an_armature_that_no_mesh_follows_or_no_bone_of_which_deforms(self):
        new_scene()
        rig, bar = make_bar()
        for bone in rig.data.bones:
            bone.use_deform = False
        self.every("no bone that deforms")
        bpy.data.objects.remove(bar)
        choose(rig)
        self.every("no visible mesh follows", of=EVERY)
        self.assert_refused(bpy.ops.pelt.pin, "no bone of 'rig' is selected")
        self.assert_refused(bpy.ops.pelt.pose, "no visible mesh follows")

    def test_positions_that_are_not_numbers(self):
        new_scene()
        rig, bar = make_bar()
        bar.data.vertices[7].co.y = float("nan")
        self.every("'bar' has 1 vertices whose position is not a number, the first is 7")
        self.assert_refused(bpy.ops.pelt.decompose, "not a number")

    def test_a_mesh_without_faces_or_weights(self):
        new_scene()
        rig, bar = make_bar()
        for group in list(bar.vertex_groups):
            bar.vertex_groups.remove(group)
        self.every("has no weights for the bones of 'rig': use Bind first", of=("mush", "bake", "limit", "lod"))
        bar.data.clear_geometry()
        self.every("'bar' has no faces")

    def test_an_armature_that_is_scaled_to_nothing(self):
        new_scene()
        rig, bar = make_bar()
        rig.scale = (1, 0, 1)
        bpy.context.view_layer.update()
        self.every("'rig' is scaled to nothing")

    def test_several_armature_modifiers(self):
        new_scene()
        rig, bar = make_bar()
        bar.modifiers.new("second", "ARMATURE").object = rig
        self.every("several armature modifiers (armature, second)")

    def test_modifiers_above_that_change_the_vertices(self):
        new_scene()
        rig, bar = make_bar()
        bar.modifiers.new("both", "MIRROR")
        with bpy.context.temp_override(object=bar):
            bpy.ops.object.modifier_move_to_index(modifier="both", index=0)
        self.every("modifiers above the armature change the vertices of 'bar'", of=("bind", "bake", "fit"))

    def test_modifiers_below_that_change_the_vertices_of_examples(self):
        new_scene()
        rig, bar = make_bar()
        animate(rig, 3)
        bar.modifiers.new("finer", "SUBSURF")
        self.assert_refused(bpy.ops.pelt.fit, "turn off or apply", "'finer'")
        self.assert_refused(bpy.ops.pelt.decompose, "turn off or apply", "'finer'")

    def test_edit_mode(self):
        new_scene()
        make_bar()
        bpy.ops.object.mode_set(mode="EDIT")
        self.every("leave Edit Mode first")

    def test_a_map_that_no_mesh_has_and_a_target_with_other_vertices(self):
        new_scene()
        rig, bar = make_bar()
        rig.pelt.kappa_group = "nothing"
        self.every("no mesh of 'rig' has the vertex group 'nothing'", of=("mush", "bake"))
        rig.pelt.kappa_group = ""
        bpy.ops.mesh.primitive_cube_add()
        bpy.context.scene.pelt.target = bpy.data.objects["Cube"]
        choose(bar)
        self.assert_refused(bpy.ops.pelt.fit, "'Cube' has 8 vertices, 'bar' has 372")

    def test_a_scene_without_frames_and_a_hidden_armature(self):
        new_scene()
        rig, bar = make_bar()
        bpy.context.scene.frame_start = bpy.context.scene.frame_end = 1
        self.assert_refused(bpy.ops.pelt.decompose, "one frame only")
        rig.hide_set(True)
        self.every("'rig' is hidden", of=("bake", "fit"))

    def test_pins_of_bones_that_are_gone(self):
        new_scene()
        rig, bar = make_bar()
        choose(rig)
        rig.data.bones["high"].select = True
        bpy.ops.pelt.pin()
        rig.data.bones["high"].name = "other"
        self.assert_refused(bpy.ops.pelt.pose, "'Pin high' pins 'high'")
