"""What shape keys make of a mesh before the armature gets it."""
import numpy as np

from . import scene


class ShapeKeys:
    """The keys of one mesh, read once; `offsets` follows their values."""

    def __init__(self, mesh_object):
        keys = mesh_object.data.shape_keys
        self._blocks = []
        if keys is None or not keys.use_relative or scene.modifiers_above(mesh_object):
            return
        for block in keys.key_blocks:
            if block == keys.reference_key:
                continue
            moves = scene.vectors(block.data) - scene.vectors(block.relative_key.data)
            if block.vertex_group:
                group = scene.group_values(mesh_object, mesh_object.data, block.vertex_group)
                moves *= group[:, np.newaxis]
            self._blocks.append((block.name, moves))

    def offsets(self, mesh_object):
        """(V, 3) in the mesh's space, or None where every key is at rest."""
        blocks, total = mesh_object.data.shape_keys.key_blocks if self._blocks else {}, None
        for name, moves in self._blocks:
            block = blocks.get(name)
            value = 0.0 if block is None or block.mute else block.value
            if value != 0:
                total = value * moves if total is None else total + value * moves
        return total

    def values(self, mesh_object):
        """What the offsets depend on."""
        blocks = mesh_object.data.shape_keys.key_blocks if self._blocks else {}
        return tuple(
            (name, 0.0 if name not in blocks or blocks[name].mute else blocks[name].value) for name, _ in self._blocks
        )
