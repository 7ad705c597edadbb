"""How a mush is shown: a modifier in place of the armature's, which takes its positions from a hidden object of points.

The mesh itself is never written to. The points are plain data: a file that is opened without the add-on shows the pose
it was saved in.
"""
import bpy

from . import scene, writing


def node_group():
    """Geometry in, the same out with every vertex where the point of that number of `Shape` is."""
    found = next((g for g in bpy.data.node_groups if g.get("pelt_mush") and g.library is None), None)
    if found:
        return found
    group = bpy.data.node_groups.new(scene.MUSH, "GeometryNodeTree")
    group["pelt_mush"] = 1
    _add_socket(group, "Geometry", "NodeSocketGeometry", "INPUT")
    _add_socket(group, "Shape", "NodeSocketObject", "INPUT")
    _add_socket(group, "Geometry", "NodeSocketGeometry", "OUTPUT")
    made = {
        kind: group.nodes.new(kind)
        for kind in (
            "NodeGroupInput",
            "NodeGroupOutput",
            "GeometryNodeObjectInfo",
            "GeometryNodeSampleIndex",
            "GeometryNodeInputPosition",
            "GeometryNodeInputIndex",
            "GeometryNodeSetPosition",
        )
    }
    for column, node in enumerate(made.values()):
        node.location = (220 * (column - 3), 0)
    given, sample, put = made["NodeGroupInput"], made["GeometryNodeSampleIndex"], made["GeometryNodeSetPosition"]
    sample.data_type, sample.domain = "FLOAT_VECTOR", "POINT"
    value = next(s for s in sample.inputs if s.name == "Value" and s.enabled)
    sampled = next(s for s in sample.outputs if s.enabled)
    info = made["GeometryNodeObjectInfo"]
    for source, target in (
        (given.outputs["Shape"], info.inputs["Object"]),
        (info.outputs["Geometry"], sample.inputs["Geometry"]),
        (made["GeometryNodeInputPosition"].outputs[0], value),
        (made["GeometryNodeInputIndex"].outputs[0], sample.inputs["Index"]),
        (given.outputs["Geometry"], put.inputs["Geometry"]),
        (sampled, put.inputs["Position"]),
        (put.outputs[0], made["NodeGroupOutput"].inputs[0]),
    ):
        group.links.new(source, target)
    return group


def _add_socket(group, name, kind, direction):
    if hasattr(group, "interface"):
        group.interface.new_socket(name=name, in_out=direction, socket_type=kind)
    else:
        (group.inputs if direction == "INPUT" else group.outputs).new(kind, name)


def _new_points(mesh_object, count):
    points = bpy.data.meshes.new(f"{mesh_object.name} {scene.MUSH}")
    points.vertices.add(count)
    return bpy.data.objects.new(points.name, points)  # in no collection: nobody needs to see it


def points_of(mesh_object, count):
    """The mesh of points that an object shows, with so many of them."""
    modifier = scene.mush_modifier(mesh_object)
    shape = modifier[scene.shape_input(modifier)]
    if shape is None:
        shape = _new_points(mesh_object, count)
        modifier[scene.shape_input(modifier)] = shape
    if len(shape.data.vertices) != count:
        shape.data.clear_geometry()
        shape.data.vertices.add(count)
    return shape.data


def own_points(mesh_object):
    """For a duplicate of an object, which still shows the points of the one it was made of."""
    modifier = scene.mush_modifier(mesh_object)
    shape = modifier[scene.shape_input(modifier)]
    modifier[scene.shape_input(modifier)] = _new_points(mesh_object, len(shape.data.vertices))


def add(mesh_object, armature):
    """Puts the mush in the place of the armature's modifier, which rests without an object: were it only turned off,
    the mesh would still be evaluated a second time whenever a bone moves."""
    if scene.mush_modifier(mesh_object):
        return
    writing.follow(mesh_object, armature)
    place = scene.slot_of(mesh_object)
    old = mesh_object.modifiers[place]
    old.show_viewport = old.show_render = False
    old.object = None
    modifier = mesh_object.modifiers.new(scene.MUSH, "NODES")
    if modifier.node_group:  # some versions make an empty one
        bpy.data.node_groups.remove(modifier.node_group)
    modifier.node_group = node_group()
    mesh_object.pelt.armature = armature
    modifier[scene.shape_input(modifier)] = _new_points(mesh_object, len(mesh_object.data.vertices))
    with bpy.context.temp_override(object=mesh_object, active_object=mesh_object):
        bpy.ops.object.modifier_move_to_index(modifier=modifier.name, index=place + 1)


def remove(mesh_object):
    """The armature's modifier acts again."""
    modifier = scene.mush_modifier(mesh_object)
    if modifier is None:
        return
    armature, shape = mesh_object.pelt.armature, modifier[scene.shape_input(modifier)]
    mesh_object.modifiers.remove(modifier)
    mesh_object.pelt.armature = None
    if armature:
        writing.follow(mesh_object, armature)
    rest, mesh_object.pelt.rest = mesh_object.pelt.rest, None
    points = shape.data if shape and shape.users == 0 else None
    if points:
        bpy.data.objects.remove(shape)
    for mesh in (rest, points):
        if mesh and mesh.users == 0:
            bpy.data.meshes.remove(mesh)
