"""What the panel shows: the mush of an armature is kept with it, the rest with the scene."""
import bpy
from bpy.props import (
    BoolProperty,
    EnumProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from . import mush, mush_options, table


def _changed(self, _context):
    mush.mark(self.id_data)


def _items(*rows):
    return [(key, label, text) for key, label, text in rows]


def _number(name, default, **more):
    """An option of the mush; the panel shows its usual value where the table leaves it open."""
    return table.property_of({**table.rows_of("mush")[name], "default": default}, update=_changed, **more)


def _choice(name, *rows):
    """The first is the default."""
    return EnumProperty(name=name, default=rows[0][0], update=_changed, items=_items(*rows))


class PeltObject(bpy.types.PropertyGroup):
    """Of an object: the mush of an armature, what a mushed mesh follows, what a pin holds."""

    armature: PointerProperty(
        type=bpy.types.Object, description="Of a mushed mesh or a pin: the armature it belongs to"
    )
    placed: FloatVectorProperty(
        size=16, description="Of a mushed mesh: where in its armature it was when Mush was used"
    )
    rest: PointerProperty(
        type=bpy.types.Mesh, description="Of a mushed mesh: what modifiers above the armature made of it"
    )
    fitted: StringProperty(
        description="Of an armature: the character that Fit made with weights of any sign, a .glb in base 64"
    )
    fitted_bones: StringProperty(description="Of an armature: the bones of that character's joints, line by line")
    bone: StringProperty(name="Bone", description="Of a pin: the bone that goes where the pin is")
    turns: BoolProperty(name="Hold Rotation", default=False, description="The bone turns as the pin does, too")
    iterations: _number("iterations", 10, soft_max=200)
    automatic: BoolProperty(
        name="Automatic",
        default=True,
        update=_changed,
        description="Derive lambda and kappa from the thickness of the limbs",
    )
    lambda_: _number("lambda_", 1.0, soft_max=20.0)
    kappa: _number("kappa", 1.0, soft_max=20.0)
    alpha: _number("alpha", 0.5)
    start: _choice(
        "Start from",
        ("RIGID", "Rigid Bind", "Each vertex starts on its heaviest bone"),
        ("KEEP", "Painted Weights", "The weights are kept and smoothed"),
    )
    laplacian: _choice(
        "Laplacian",
        ("COTANGENT", "Cotangent", "Independent of how the mesh is cut into faces"),
        ("UNIFORM", "Uniform", "Every edge counts the same"),
    )
    smoothing: _choice(
        "Step",
        ("IMPLICIT", "Implicit", "Stable for any amount of smoothing"),
        ("EXPLICIT", "Explicit", "As in the original Delta Mush"),
    )
    connect: BoolProperty(
        name="Layers",
        default=True,
        update=_changed,
        description="Smooth parts that lie side by side, such as clothes, together",
    )
    lambda_group: StringProperty(name="λ Map", update=_changed, description="Vertex group that multiplies lambda")
    kappa_group: StringProperty(name="κ Map", update=_changed, description="Vertex group that multiplies kappa")
    alpha_group: StringProperty(name="α Map", update=_changed, description="Vertex group that multiplies alpha")


# What the table has beyond these, such as parts that keep their bind.
PeltObject.__annotations__.update(
    {name: table.property_of(row, update=_changed) for name, row in mush_options.more_options().items()}
)


class PeltScene(bpy.types.PropertyGroup):
    """Options of the operators."""

    bind_method: EnumProperty(
        name="Weights",
        default="SMOOTH",
        items=_items(
            ("SMOOTH", "Smooth", "The weights that an artist would probably paint"),
            ("RIGID", "Rigid", "Each vertex follows one bone: the heaviest, or the nearest through the solid"),
            ("BBW", "Bounded Biharmonic", "The smoothest weights, from the shape alone"),
        ),
    )
    influences: IntProperty(
        name="Influences", default=4, min=1, max=32, description="At most so many bones hold a vertex"
    )
    helpers: IntProperty(
        name="Helpers",
        default=4,
        min=0,
        max=64,
        description="At most so many bones are added where weights alone cannot follow",
    )
    virtual_joints: table.property_of(table.rows_of("bake")["virtual"])
    helper_motion: EnumProperty(
        name="Moved by",
        default="DRIVERS",
        items=_items(
            ("DRIVERS", "Drivers", "Helpers follow any pose, with expressions that need no add-on"),
            ("KEYS", "Keys", "Helpers have keys at every frame of the scene"),
        ),
    )
    bake_motion: BoolProperty(
        name="Animation",
        default=True,
        description="Bake for the frames of the scene too, not only for the range of motion",
    )
    bones: IntProperty(name="Bones", default=20, min=1, max=512, description="How many bones are to play the animation")
    hierarchy: BoolProperty(
        name="Skeleton", default=False, description="Find joints and a hierarchy, where bones turn about common centers"
    )
    extra_bones: IntProperty(
        name="Extra Bones", default=8, min=0, max=64, description="At most so many driven bones are added by Fit"
    )
    target: PointerProperty(
        name="Examples",
        type=bpy.types.Object,
        poll=lambda _, o: o.type == "MESH",
        description="A mesh with the same vertices that shows what to fit; none: the mesh itself",
    )
    step: IntProperty(name="Frame Step", default=1, min=1, max=100, description="Which frames of the scene are read")
    follow_pins: BoolProperty(
        name="Follow Pins", default=False, description="Pose the armature whenever one of its pins is moved"
    )
    report: StringProperty(description="What Check found, line by line")


CLASSES = (PeltObject, PeltScene)


def register():
    for each in CLASSES:
        bpy.utils.register_class(each)
    bpy.types.Object.pelt = PointerProperty(type=PeltObject)
    bpy.types.Scene.pelt = PointerProperty(type=PeltScene)


def unregister():
    del bpy.types.Scene.pelt
    del bpy.types.Object.pelt
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
