"""Every verb of the library's table is in the panel, and does in the scene what the program does with the same file."""
import types

import bpy
import numpy as np
from common import *
import common
from pelt_blender import panel, table, weights
from pelt_blender.library import TABLE


class Layout:
    """Notes which operators a panel draws; everything else of a layout does nothing."""

    def __init__(self, drawn):
        self._drawn = drawn

    def operator(self, name, **_):
        self._drawn.append(name)
        return types.SimpleNamespace()

    def __getattr__(self, _):
        return lambda *_, **__: Layout(self._drawn)


def drawn_operators():
    names = []
    for each in panel.CLASSES:
        each.draw(types.SimpleNamespace(layout=Layout(names)), bpy.context)
    return names


class Table(SceneTest):
    def test_every_verb_is_in_the_panel_or_an_exception(self):
        new_scene()
        make_bar()
        drawn = drawn_operators()
        for verb in TABLE:
            name = f"pelt.{weights.OWN.get(verb, verb)}"
            if verb in table.EXCEPTIONS:
                self.assertNotIn(name, drawn)
                self.assertTrue(table.EXCEPTIONS[verb])
            else:
                self.assertIn(name, drawn, f"the verb {verb} is missing in the panel")
        self.assertEqual(set(table.EXCEPTIONS) - set(TABLE), set())
        self.assertEqual({verb for verb, _ in table.LEFT_OUT} - set(TABLE), set())

    def test_every_option_is_a_property(self):
        for verb in set(TABLE) - set(table.EXCEPTIONS) - {"mush"}:
            found = getattr(bpy.ops.pelt, weights.OWN.get(verb, verb)).get_rna_type().properties
            for name, row in table.rows_of(verb).items():
                if verb in ("bake", "deform", "pack") and row["group"] == table.MUSH:
                    continue  # the armature's
                self.assertIn(name, found, verb)
                self.assertIn(table.help_of(row["help"]), found[name].description)
                if row["choices"]:
                    self.assertLessEqual(set(row["choices"]), set(found[name].enum_items.keys()))
        properties = bpy.types.Object.bl_rna.properties["pelt"].fixed_type.properties
        names = {"bind": "start", "connect_parts": "connect"}
        for name, row in table.rows_of("mush").items():
            own = name.replace("_map", "_group") if name.endswith("_map") else names.get(name, name)
            self.assertIn(own, properties)
            if own in ("start", "laplacian", "smoothing"):
                self.assertEqual({key.lower() for key in properties[own].enum_items.keys()}, set(row["choices"]))

    def test_a_property_that_keeps_its_default_is_not_handed_over(self):
        rows = {(verb, name): row for verb in TABLE for name, row in table.rows_of(verb).items()}
        for key, row in rows.items():
            if row["positional"] and row["default"] is None:
                continue  # something must be chosen
            made = table.property_of(row).keywords["default"]
            self.assertIsNone(table.value_of(row, made), key)
        self.assertEqual(table.value_of(rows["lod", "ratios"], "0.5, 0.2"), [0.5, 0.2])
        self.assertEqual(table.value_of(rows["clean", "threshold"], float(np.float32(0.05))), 0.05)
        self.assertEqual(table.value_of(rows["bake", "lock"], "hips, knee"), ["hips", "knee"])


class Operators(SceneTest):
    """On one bar whose weights are not symmetric, and its keys: the frames of the scene are the program's clip."""

    FRAMES = range(1, 8, 3)

    def setUp(self):
        new_scene()
        self.rig, self.bar = make_bar()
        animate(self.rig, 7)
        bpy.context.scene.pelt.step = 3
        self.file, self.made = common.FOLDER / "bar.glb", common.FOLDER / "made.glb"
        for name in ("low", "middle", "high"):  # a bit of every bone, so that there is something to limit and to clean
            self.bar.vertex_groups[name].add(list(range(0, 180, 7)), 0.03, "ADD")
        self.skin = save(self.rig, [self.bar], self.file, self.FRAMES)
        bpy.context.scene.frame_set(1)

    def frames_shown(self, *names):
        found = []
        for frame in self.FRAMES:
            bpy.context.scene.frame_set(frame)
            found.append(shown(*(bpy.data.objects[name] for name in names)))
        return np.array(found)

    def frames_told(self, file):
        points = deformed(file, "--clips", self.file, "--clip", 0, "--method", "lbs")
        return np.array([placed(self.skin, bpy.data.objects["rig"], frame) for frame in points])

    def check(self, verb, words, **properties):
        program(verb, self.file, *words, "-o", self.made)
        with self.undoable():
            getattr(bpy.ops.pelt, verb)(**properties)
        self.assert_same(self.frames_shown("bar"), self.frames_told(self.made), verb)
        bpy.ops.ed.undo()

    def test_verbs_that_change_weights(self):
        before = self.frames_shown("bar")
        self.check("limit", ["--influences", 1], influences=1)
        self.check("limit", ["--max-joints", 2], max_joints=2)
        self.check("clean", ["--threshold", 0.1], threshold=0.1)
        self.check("mirror", ["--from", "right", "--axis", "y"], from_="right", axis="y")
        self.assert_same(self.frames_shown("bar"), before, "after the last undo")

    def test_a_mush_takes_the_options_that_only_the_table_has(self):
        self.rig.pelt.joint_alpha, self.rig.pelt.exclude_joints = "low=0.1, high=0.9", "middle"
        bpy.ops.pelt.mush()
        bpy.context.scene.frame_set(7)
        words = ["--joint-alpha", "low=0.1", "--joint-alpha", "high=0.9", "--exclude-joints", "middle"]
        self.assert_same(shown(self.bar), told(self.rig, [self.bar], "ddm", *words))
        self.assert_far(shown(self.bar), told(self.rig, [self.bar], "ddm"))

    def test_virtual_joints_have_keys(self):
        program("bake", self.file, "--virtual", 2, "-o", self.made)
        with self.undoable():
            bpy.ops.pelt.bake(virtual=2)
        rig = bpy.data.objects["rig"]
        self.assertEqual(len([bone for bone in rig.data.bones if bone.get("pelt_helper")]), 2)
        expected = deformed(self.made, "--clip", 0, "--method", "lbs")
        expected = np.array([placed(self.skin, rig, frame) for frame in expected])
        self.assert_same(self.frames_shown("bar"), expected)
        bpy.ops.ed.undo()
        bpy.data.objects["rig"].animation_data_clear()
        self.assert_refused(lambda: bpy.ops.pelt.bake(virtual=2), "animate the armature")

    def test_transfer_to_a_mesh_without_weights(self):
        target = add_tube(self.rig, "sleeve", radius=0.33, sides=9, rings=20)
        target.vertex_groups.clear()
        target.modifiers.clear()
        bpy.context.view_layer.update()
        self.assert_refused(bpy.ops.pelt.transfer, "select the mesh to copy weights from")
        goal = common.FOLDER / "sleeve.obj"
        skin = skins.read(self.rig, [target])
        goal.write_text(
            "".join(f"v {x:.9g} {y:.9g} {z:.9g}\n" for x, y, z in skin.positions)
            + "".join(f"f {a} {b} {c}\n" for a, b, c in skin.parts[0].triangles + 1)
        )
        program("transfer", self.file, goal, "--influences", 2, "-o", self.made)
        choose(target, self.bar)
        with self.undoable():
            bpy.ops.pelt.transfer(influences=2)
        self.assert_same(self.frames_shown("sleeve"), self.frames_told(self.made))

    def test_levels_are_new_objects(self):
        program("lod", self.file, "--ratios", "0.5,0.25", "-o", common.FOLDER / "levels")
        with self.undoable():
            bpy.ops.pelt.lod(ratios="0.5, 0.25")
        for number in (1, 2):
            file = common.FOLDER / "levels" / f"bar_lod{number}.glb"
            self.assert_same(self.frames_shown(f"bar_lod{number}"), self.frames_told(file), f"level {number}")
        self.assertIn("bar", bpy.data.objects)


class Checking(SceneTest):
    def test_check_says_what_info_says_and_what_only_blender_knows(self):
        new_scene()
        rig, bar = make_bar()
        bar.vertex_groups.new(name="control").add([0], 1.0, "REPLACE")
        bar.vertex_groups["low"].remove([0])
        bar.scale = (1, 1, 2)
        bpy.context.view_layer.update()
        bpy.ops.pelt.check()
        report = bpy.context.scene.pelt.report
        for words in ("3 bones", "372 vertices", "1 vertex had no valid weight", "do not deform: control", "unevenly"):
            self.assertIn(words, report)
