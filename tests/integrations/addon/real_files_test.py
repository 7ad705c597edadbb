"""Characters of files, imported by Blender itself, then bound, mushed and baked in place."""
import json
import struct

import bpy
import numpy as np
from common import *
import common

REAL = {
    "CesiumMan": "rigged/khronos/CesiumMan/glTF-Binary/CesiumMan.glb",
    "Fox": "rigged/khronos/Fox/glTF-Binary/Fox.glb",
    "Knight": "rigged/kaykit/Knight.glb",
    "Mage": "rigged/kaykit/Mage.glb",
    "mannequiny": "rigged/mannequiny/godot/assets/3d/mannequiny/mannequiny-0.3.0.glb",
    "Witch": "flagged-no-explicit-licence/rigged/quaternius/modular_women-Witch.glb",
    "King": "flagged-no-explicit-licence/rigged/quaternius/modular_men-King.glb",
    "RiggedFigure": "rigged/khronos/RiggedFigure/glTF-Binary/RiggedFigure.glb",
}


class Files(SceneTest):
    def in_place(self, file):
        armature, meshes = opened(file)
        if not program("info", file)["clips"]:
            bend(armature, 0.3)
        at(0.25)
        self.assert_same(told(armature, meshes, "lbs"), shown(*meshes), "linear blending is not Blender's")
        bpy.ops.pelt.mush()
        for time in (0.25, 0.5):
            at(time)
            self.assert_same(shown(*meshes), told(armature, meshes, "ddm"), f"mush at {time} s")
        bpy.context.scene.pelt.helpers = 2
        bpy.context.scene.pelt.bake_motion = False
        bpy.ops.pelt.bake()
        at(0.5)
        self.bound_again(armature, meshes)

    def bound_again(self, armature, meshes):
        self.assert_same(shown(*meshes), told_with_helpers(armature, meshes), "baked")
        bpy.ops.pelt.bind()
        self.assert_same(shown(*meshes), told(armature, meshes, "lbs"), "bound")

    def test_generated_files(self):
        self.in_place(sample("biped", "--skin", "smooth", resolution=1500))

    def test_an_fbx_of_blender_itself(self):
        armature, meshes = opened(sample("arm", resolution=600))
        at(0.5)
        expected, file = shown(*meshes), common.FOLDER / "arm.fbx"
        choose(*meshes, armature)
        bpy.ops.export_scene.fbx(filepath=str(file), use_selection=True, add_leaf_bones=False)
        new_scene()
        bpy.ops.import_scene.fbx(filepath=str(file))
        bar = next(o for o in bpy.data.objects if o.type == "MESH")
        rig = scene.armature_of(bar)
        choose(bar)
        bend(rig)
        self.assert_same(told(rig, [bar], "lbs"), shown(bar))
        bpy.ops.pelt.mush()
        self.assert_same(shown(bar), told(rig, [bar], "ddm"))

    def test_real_files(self):
        there = {name: common.SHARED / path for name, path in REAL.items() if (common.SHARED / path).exists()}
        if not there:
            self.skipTest("the real characters are not part of the repository")
        for name, file in there.items():
            with self.subTest(name):
                self.in_place(file)

    def test_a_mush_is_that_of_the_file_itself(self):
        """Not only of what the add-on hands over: the program reads the same file as Blender's importer does."""
        files = {"biped": sample("biped", "--skin", "smooth", resolution=1500)}
        # Between the keys of RiggedFigure, which are far apart, Blender turns by another way than glTF asks for.
        files |= {
            name: common.SHARED / path
            for name, path in REAL.items()
            if (common.SHARED / path).exists() and name != "RiggedFigure"
        }
        for name, file in files.items():
            if not program("info", file)["clips"]:
                continue
            with self.subTest(name):
                armature, meshes = opened(file)
                bpy.ops.pelt.mush()
                at(first_key(file) + 6 / FPS)
                expected = deformed(file, "--method", "ddm", "--no-props", "--clip", 0, "--frames", "6:7")[0]
                self.assert_same(shown(*meshes), expected)


def first_key(file):
    data = file.read_bytes()
    document = json.loads(data[20 : 20 + struct.unpack_from("<I", data, 12)[0]])
    samplers = document["animations"][0]["samplers"]
    return min(document["accessors"][sampler["input"]]["min"][0] for sampler in samplers)


def told_with_helpers(armature, meshes):
    """Linear blending in NumPy, from the vertex groups and the bones, helpers too."""
    graph = bpy.context.evaluated_depsgraph_get()
    bones = [b.name for b in armature.data.bones if b.use_deform]
    posed = scene.pose_matrices(armature, bones, graph) @ np.linalg.inv(
        np.array([matrices.of(armature.data.bones[name].matrix_local) for name in bones])
    )
    world, found = matrices.of(armature.evaluated_get(graph).matrix_world), []
    for mesh_object in meshes:
        placed_now = skins.placed_in(armature, mesh_object)
        rest = matrices.moved(scene.rest_positions(mesh_object.data).astype(float), placed_now)
        weights = np.zeros((len(rest), len(bones)))
        for v, vertex in enumerate(mesh_object.data.vertices):
            for entry in vertex.groups:
                weights[v, bones.index(mesh_object.vertex_groups[entry.group].name)] = entry.weight
        weights /= weights.sum(axis=1, keepdims=True)
        blended = np.einsum("vj,jrc->vrc", weights, posed)
        moved = np.einsum("vrc,vc->vr", blended, np.concatenate([rest, np.ones((len(rest), 1))], axis=1))[:, :3]
        found.append(matrices.moved(moved, matrices.Y_UP @ world))
    return np.concatenate(found)
