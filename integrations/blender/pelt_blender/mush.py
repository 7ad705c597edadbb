"""Live Direct Delta Mush: after every evaluation of the scene the bones pose a prepared deformer, whose vertices go to
the points that the mush's modifier shows. Blender then evaluates once more what depends on them."""
import base64
import threading

import bpy
import numpy as np
from bpy.app.handlers import persistent

from . import matrices, mush_nodes, scene, shape_keys, skin as skins
from .library import pelt
from .mush_options import MAPS, options_of
from .scene import Fault

_live = {}  # by the armature's name: a Live
_pending = {}  # by the armature's name: a thread that prepares one
_stale = set()  # names of armatures whose character may have changed
_cast = {}  # names of armatures, and of the meshes that are mushed on them
_objects = [-1]  # how many objects there were when _cast was made
faults = {}  # by the armature's name: a sentence for the panel


# ---- preparing -----------------------------------------------------------------------------------------------------


def read(armature, meshes, stored=False):
    """The skin to mush and its options; `stored`: see scene.rest_mesh. Throws Fault."""
    groups = {
        attribute: getattr(armature.pelt, f"{name}_group")
        for name, attribute in MAPS
        if getattr(armature.pelt, f"{name}_group")
    }
    for group in groups.values():
        if not any(group in mesh_object.vertex_groups for mesh_object in meshes):
            raise Fault(f"no mesh of '{armature.name}' has the vertex group '{group}' that a map names")
    skin = skins.read(armature, meshes, groups, own_vertices=False, stored=stored)
    skins.need_weights(skin)
    return skin, options_of(armature)


class Live:
    """A prepared character. Made without touching the scene, so that a thread can do it."""

    def __init__(self, skin, options, data, bones=None, progress=None):
        self.skin, self.key = skin, (data, repr(options))
        character = pelt.loads(data, "the character")
        if character.vertex_count != len(skin.positions):
            raise Fault("the meshes were edited since Fit: use Fit again, or remove the mush")
        self._deformer = character.deformer("ddm", progress=progress, **options)
        self._joints = character.joints  # in an order of the library's own
        if bones:
            self._joints, rests = bones
        else:
            rests = skin.bones.rests[[skin.bones.index[name] for name in self._joints]]
        self._unrest = np.linalg.inv(rests)
        self._out = np.empty((len(skin.positions), 3), np.float32)
        self._bones = self._rest_bones = self._keys = self._shown = None
        self.extent = float(np.ptp(skin.positions, axis=0).max())

    def matrices(self, pose):
        """Rest to posed in armature space, (J, 4, 4)."""
        count = len(pose)
        if self._bones is None or self._bones[0] != count:
            order = {bone.name: number for number, bone in enumerate(pose)}
            if any(name not in order for name in self._joints):
                raise Fault("bones were renamed or removed: use Mush again")
            self._bones = count, [order[name] for name in self._joints]
        values = np.empty(16 * count, np.float32)
        pose.foreach_get("matrix", values)
        return values.reshape(count, 4, 4)[self._bones[1]].swapaxes(1, 2).astype(float) @ self._unrest

    def fits(self, armature):
        """Whether the armature still has these bones at rest."""
        bones = armature.data.bones
        if self._rest_bones is None:
            self._rest_bones = _rest_state(bones)
        return all(np.array_equal(a, b) for a, b in zip(self._rest_bones, _rest_state(bones)))

    def moved_since(self, placed):
        """How the meshes have moved in the armature since: one rigid map for all, or None where it is none."""
        moves = [now @ np.linalg.inv(part.placed) for now, part in zip(placed, self.skin.parts)]
        away = [np.abs(move - np.eye(4))[:3] / np.array([1, 1, 1, self.extent]) for move in moves]
        if max(each.max() for each in away) < 1e-6:
            return np.eye(4)
        alike = all(np.allclose(move, moves[0], atol=1e-6) for move in moves)
        return moves[0] if alike and matrices.is_rigid(moves[0]) else None

    def show(self, pose, placed, meshes):
        """Writes the points of the meshes. Gives False where the character must be prepared anew."""
        moved = self.moved_since(placed)
        if moved is None:
            return False
        posed, keyed = self.matrices(pose) @ moved, self._keyed(meshes)
        if (
            self._shown is not None
            and self._shown[2] == keyed
            and all(np.array_equal(now, before) for now, before in zip((posed, placed), self._shown))
        ):
            return True
        if keyed != (self._shown[2] if self._shown else None):
            self._deformer.set_rest(self._rest(meshes, keyed))
        still = np.array_equal(moved, np.eye(4))
        self._deformer(self.skin.to_character(posed).astype(np.float32), out=self._out)
        for part, now, mesh_object in zip(self.skin.parts, placed, meshes):
            back = np.linalg.inv(self.skin.space @ (part.placed if still else now)).astype(np.float32)
            points = mush_nodes.points_of(mesh_object, part.count)
            found = matrices.moved(self._out[part.first : part.first + part.count], back)
            points.vertices.foreach_set("co", found.ravel())
            points.update_tag()
        self._shown = posed, placed, keyed
        return True

    def _keyed(self, meshes):
        """The values of the meshes' shape keys."""
        if self._keys is None:
            self._keys = [shape_keys.ShapeKeys(each) for each in meshes]
        return [keys.values(each) for keys, each in zip(self._keys, meshes)]

    def _rest(self, meshes, keyed):
        """The rest shape that shape keys make, or None: the library has prepared for the one without them."""
        if not any(value for values in keyed for _, value in values):
            return None
        rest = self.skin.positions.copy()
        for keys, part, mesh_object in zip(self._keys, self.skin.parts, meshes):
            offsets = keys.offsets(mesh_object)
            if offsets is not None:
                rest[part.first : part.first + part.count] += offsets @ (self.skin.space @ part.placed)[:3, :3].T
        return rest


def _rest_state(bones):
    rests, deforming = np.empty(16 * len(bones), np.float32), np.empty(len(bones), bool)
    bones.foreach_get("matrix_local", rests)
    bones.foreach_get("use_deform", deforming)
    return rests, deforming


def keep_fitted(armature, fitted, bones):
    """Keeps a character with weights of any sign, which vertex groups cannot hold; `bones`: of its joints."""
    data, named = fitted.to_bytes(), dict(zip(fitted.joints, bones))
    armature.pelt.fitted = base64.b64encode(data).decode()
    joints = pelt.loads(data, "the character").joints  # a file has them in an order of its own
    armature.pelt.fitted_bones = "\n".join(named[joint] for joint in joints)


def drop_fitted(armature):
    armature.pelt.fitted = armature.pelt.fitted_bones = ""


def shown(armature, skin, options):
    """Options, character and bones of its joints with their rests: the fitted one if the armature keeps one, otherwise
    the mush, whose joints are bones of the skin."""
    if not armature.pelt.fitted:
        return options, skins.to_bytes(skin)[0], None
    names, bones = armature.pelt.fitted_bones.split("\n"), armature.data.bones
    if any(name not in bones for name in names):
        raise Fault("bones were renamed or removed since Fit: use Fit again, or remove the mush")
    rests = np.array([matrices.of(bones[name].matrix_local) for name in names])
    return {}, base64.b64decode(armature.pelt.fitted), (names, rests)


def begin(armature, meshes, live):
    """The meshes follow the character from now on."""
    for mesh_object in meshes:
        mush_nodes.add(mesh_object, armature)
        scene.store_rest(mesh_object)
        mesh_object.pelt.placed = live.skin.of_part(mesh_object).placed.ravel().tolist()
    forget()
    use(armature, live)
    armature.update_tag()


def use(armature, live):
    """A character that was prepared for the meshes of an armature."""
    _live[armature.name] = live
    _stale.discard(armature.name)
    faults.pop(armature.name, None)


# ---- following the scene -------------------------------------------------------------------------------------------


def forget(*_):
    """After loading and undoing: names may stand for other data."""
    _live.clear()
    _stale.clear()
    faults.clear()
    _objects[0] = -1


def mark(armature):
    """The settings of a mush have changed."""
    _stale.add(armature.name)
    armature.update_tag()


def cast():
    """Per armature the meshes that are mushed on it, in a fixed order."""
    known = (name for names in _cast.values() for name in names)
    if _objects[0] != len(bpy.data.objects) or any(name not in bpy.data.objects for name in known):
        _cast.clear()
        shapes = set()
        for each in bpy.data.objects:
            modifier = scene.mush_modifier(each) if each.type == "MESH" and each.library is None else None
            if modifier and each.pelt.armature:
                shape = modifier[scene.shape_input(modifier)]
                if shape in shapes:
                    mush_nodes.own_points(each)
                shapes.add(shape)
                _cast.setdefault(each.pelt.armature.name, []).append(each.name)
        _objects[0] = len(bpy.data.objects)
    return _cast


def _prepared(armature, meshes):
    """The character to show now, or None while a thread prepares it."""
    name, live = armature.name, _live.get(armature.name)
    known = live is not None and [part.name for part in live.skin.parts] == [each.name for each in meshes]
    if known and name not in _stale:
        return live
    if name in _pending:
        return live if known else None
    _stale.discard(name)
    skin, options = read(armature, meshes, stored=True)
    options, data, bones = shown(armature, skin, options)
    if known and live.key == (data, repr(options)):
        return live
    if bpy.app.background or bpy.app.is_job_running("RENDER"):
        use(armature, Live(skin, options, data, bones))
        return _live[name]
    _pending[name] = _Preparation(name, skin, options, data, bones)
    return live if known and len(live.skin.positions) == len(skin.positions) else None


class _Preparation:
    """Prepares in a thread; a timer fetches the result."""

    def __init__(self, name, *given):
        self._name, self._made = name, []
        self._thread = threading.Thread(target=self._run, args=given, daemon=True)
        self._thread.start()
        bpy.app.timers.register(self._fetch, first_interval=0.05)

    def _run(self, *given):
        try:
            self._made.append(Live(*given))
        except Exception as fault:  # shown in the panel
            self._made.append(fault)

    def _fetch(self):
        if self._thread.is_alive():
            return 0.05
        _pending.pop(self._name, None)
        armature, made = bpy.data.objects.get(self._name), self._made[0]
        if armature is None:
            return None
        if isinstance(made, Exception):
            faults[self._name] = str(made)
        else:
            use(armature, made)
            armature.update_tag()
        return None


def _show(name, names, depsgraph):
    armature = bpy.data.objects.get(name)
    meshes = [bpy.data.objects[each] for each in names]
    if armature is None or any(each.mode == "EDIT" for each in (armature, *meshes)):
        return
    live = _prepared(armature, meshes)
    posed = armature.evaluated_get(depsgraph)
    placed = [skins.placed_in(posed, each.evaluated_get(depsgraph)) for each in meshes]
    if live and not live.show(posed.pose.bones, placed, meshes):
        _stale.add(name)
        live = _prepared(armature, meshes)
        if live and live.show(posed.pose.bones, placed, meshes):
            return


def _edited(depsgraph):
    """Marks meshes and armatures that were edited, not only posed."""
    changed = [update.id.original for update in depsgraph.updates]
    meshes = {each for each in changed if isinstance(each, bpy.types.Mesh)}
    armatures = {each for each in changed if isinstance(each, bpy.types.Armature)}
    for name, names in cast().items():
        armature, live = bpy.data.objects.get(name), _live.get(name)
        if any(bpy.data.objects[each].data in meshes for each in names) or (
            armature and live and armature.data in armatures and not live.fits(armature)
        ):
            _stale.add(name)


@persistent
def on_update(_scene, depsgraph):
    if not scene.quiet[0] and cast():
        _edited(depsgraph)
        follow(depsgraph)


@persistent
def on_frame(_scene, depsgraph):
    if not scene.quiet[0] and cast():
        follow(depsgraph)


def follow(depsgraph):
    with scene.evaluating():
        for name, names in list(cast().items()):
            try:
                _show(name, names, depsgraph)
                faults.pop(name, None)
            except (Fault, pelt.Error) as fault:
                faults[name] = str(fault)


forget_on = persistent(forget)

_HANDLERS = {
    "depsgraph_update_post": on_update,
    "frame_change_post": on_frame,
    "load_post": forget_on,
    "undo_post": forget_on,
    "redo_post": forget_on,
}


def register():
    for when, handler in _HANDLERS.items():
        getattr(bpy.app.handlers, when).append(handler)


def unregister():
    for when, handler in _HANDLERS.items():
        getattr(bpy.app.handlers, when).remove(handler)
    forget()
