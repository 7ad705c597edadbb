"""Operators that are made from the table: every verb that changes the weights of a character and has no operator of its
own."""
import bpy

from . import mush, sampling, scene, skin as skins, table, writing
from .library import TABLE, pelt
from .long_work import LongWork
from .scene import Fault

#: Verbs with an operator of their own, and its name.
OWN = {
    "info": "check",
    "check": "judge",
    **{name: name for name in ("bind", "transfer", "lod", "mush", "bake", "fit", "decompose", "pose")},
    **{name: name for name in ("sample", "cutout", "deform", "pack", "compare")},
}


def write(skin, meshes, armature, names, weights):
    """The weights (V, J) of the vertices of all meshes."""
    for mesh_object in meshes:
        part = skin.of_part(mesh_object)
        writing.write_weights(mesh_object, armature, names, weights[part.first : part.first + part.count])


def summary(label, made):
    used = int((made.weights_dense() > 0).sum(axis=1).max())
    return f"{label}: {made.vertex_count} vertices, at most {used} of {len(made.joints)} bones each"


class WeightsVerb(LongWork):
    """The same meshes on the same bones afterwards, with other weights."""

    def gather(self, context):
        self._armature, self._meshes = scene.find(context)
        scene.need_local(*self._meshes)
        options = table.given(self, context)
        skin, poses = skins.read(self._armature, self._meshes), None
        skins.need_weights(skin)
        if any(row["name"] == "fps" for row in TABLE[self.verb]["options"]):
            poses = yield from sampling.moving_poses(context, self._armature, skin.bones.names)
        self._skin, (data, _) = skin, skins.to_bytes(skin, poses)
        yield 1.0, "read"
        return lambda progress: getattr(pelt.loads(data, "the character"), self.verb)(progress=progress, **options)

    def finish(self, context, made):
        if made.vertex_count != len(self._skin.positions) or not set(made.joints) <= set(self._skin.bones.names):
            raise Fault(f"{self.bl_label} has made another mesh or other bones: use the program 'pelt' for that")
        write(self._skin, self._meshes, self._armature, made.joints, made.weights_dense())
        mush.forget()
        self._armature.update_tag()
        return summary(self.bl_label, made)


def _has_sense(verb):
    """Whether a verb makes a character of one character."""
    required = [row["kind"] for row in verb["inputs"] if row["required"]]
    kinds = next((row["kinds"] for row in verb["outputs"] if row["name"] == "output"), [""])
    return required == ["character"] and kinds[0] == "character"


def _operator(verb):
    members = {
        "__doc__": verb["summary"],
        "__module__": __name__,
        "bl_idname": f"pelt.{verb['name']}",
        "bl_label": table.label(verb["name"]),
    }
    made = type(f"PELT_OT_{verb['name']}", (WeightsVerb, bpy.types.Operator), members)
    return table.options(verb["name"])(made)


CLASSES = tuple(
    _operator(verb)
    for name, verb in TABLE.items()
    if name not in OWN and name not in table.EXCEPTIONS and _has_sense(verb)
)
