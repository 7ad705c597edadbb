"""Verbs between the scene and files: what comes into the scene is what the program writes, and what goes into a file is
what the program makes of the same character."""
import struct

import bpy
import numpy as np
from common import *
import common


class Files(SceneTest):
    FRAMES = range(1, 8, 3)

    def setUp(self):
        new_scene()
        self.rig, self.bar = make_bar()
        animate(self.rig, 7)
        bpy.context.scene.pelt.step = 3
        self.file = common.FOLDER / "bar.glb"
        self.skin = save(self.rig, [self.bar], self.file, self.FRAMES)
        bpy.context.scene.frame_set(1)

    def test_a_sample_comes_with_its_armature(self):
        new_scene()
        bpy.ops.pelt.sample(name="arm", resolution=600)
        made = [each for each in bpy.data.objects if each.type == "MESH" and each.vertex_groups]
        self.assertEqual(len(made), 1)
        own = scene.vectors(made[0].data.vertices)
        rig, meshes = opened(sample("arm"))
        self.assert_same(own.astype(float), scene.vectors(meshes[0].data.vertices).astype(float))
        self.assertEqual(rig.type, "ARMATURE")

    def test_a_picture_becomes_a_flat_mesh(self):
        new_scene()
        picture = bpy.data.images.new("disc", 32, 32, alpha=True)
        y, x = np.mgrid[0:32, 0:32]
        pixels = np.ones((32, 32, 4), np.float32)
        pixels[..., 3] = (x - 15.5) ** 2 + (y - 15.5) ** 2 < 180
        picture.pixels.foreach_set(pixels.ravel())
        picture.filepath_raw, picture.file_format = str(common.FOLDER / "disc.png"), "PNG"
        picture.save()
        bpy.ops.pelt.cutout(filepath=picture.filepath_raw, triangles=200)
        made = next(each for each in bpy.data.objects if each.type == "MESH")
        told = program("cutout", picture.filepath_raw, "--triangles", 200, "-o", common.FOLDER / "disc.glb")
        self.assertEqual(len(made.data.polygons), told["triangles"])
        choose(made)
        self.assert_refused(lambda: bpy.ops.pelt.cutout(filepath="disc.txt"), "ends in .png")

    def test_deform_writes_what_the_program_writes(self):
        for method in ("dqs", "ddm"):
            expected = deformed(self.file, "--clip", 0, "--method", method)
            for ending in ("npy", "pc2"):
                file = common.FOLDER / f"frames.{ending}"
                bpy.ops.pelt.deform(filepath=str(file), method=method)
                if ending == "npy":
                    found = np.load(file)
                else:
                    data = file.read_bytes()
                    count, _, _, frames = struct.unpack_from("<iffi", data, 16)
                    found = np.frombuffer(data, "<f4", offset=32).reshape(frames, count, 3)
                self.assert_same(found, expected, f"{method} as .{ending}")
        self.assert_refused(lambda: bpy.ops.pelt.deform(filepath="frames.obj"), "ends in .npy or .pc2")

    def test_pack_writes_the_bytes_of_the_program(self):
        file, own = common.FOLDER / "native.peltrig", common.FOLDER / "own.peltrig"
        save(self.rig, [self.bar], self.file, [1])
        skin = skins.read(self.rig, [self.bar])
        self.file.write_bytes(skins.to_bytes(skin)[0])
        program("pack", self.file, "--method", "lbs", "-o", file)
        bpy.ops.pelt.pack(filepath=str(own), method="lbs")
        self.assertEqual(own.read_bytes(), file.read_bytes())

    def test_compare_measures_two_meshes_over_the_frames(self):
        other = self.bar.copy()
        other.location.z += 0.25
        bpy.context.scene.collection.objects.link(other)
        choose(self.bar, other)
        away = []
        for frame in self.FRAMES:
            bpy.context.scene.frame_set(frame)
            away.append(np.linalg.norm(shown(self.bar) - shown(other), axis=1))
        self.assertEqual(bpy.ops.pelt.compare(), {"FINISHED"})
        rms = np.sqrt(np.mean(np.square(away)))
        self.assertIn(f"RMS {rms:.4g}", bpy.context.scene.pelt.report)
        choose(self.bar)
        self.assert_refused(bpy.ops.pelt.compare, "select two meshes")
