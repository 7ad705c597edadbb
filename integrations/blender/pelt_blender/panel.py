"""The sidebar's tab "Pelt"."""
import bpy

from . import mush, mush_options, scene, weights
from .scene import Fault


_FILES = (
    ("sample", "ARMATURE_DATA"),
    ("cutout", "IMAGE_DATA"),
    ("deform", "EXPORT"),
    ("pack", "PACKAGE"),
    ("compare", "DRIVER_DISTANCE"),
)


class _Panel:
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Pelt"


def _armature(context):
    """That of the active object, or None."""
    active = context.view_layer.objects.active
    if active is None:
        return None
    if active.type == "ARMATURE":
        return active
    if active.type == "EMPTY":
        return active.pelt.armature
    try:
        return scene.armature_of(active) if active.type == "MESH" else None
    except Fault:
        return None


class VIEW3D_PT_pelt(_Panel, bpy.types.Panel):
    bl_label = "Skin"

    def draw(self, context):
        layout, settings = self.layout, context.scene.pelt
        layout.use_property_split, layout.use_property_decorate = True, False
        armature = _armature(context)
        layout.label(text=f"Armature: {armature.name}" if armature else "No armature", icon="ARMATURE_DATA")
        column = layout.column(align=True)
        column.prop(settings, "bind_method")
        if settings.bind_method != "RIGID":
            column.prop(settings, "influences")
        layout.operator("pelt.bind", icon="MOD_ARMATURE")
        layout.operator("pelt.check", icon="CHECKMARK")
        layout.operator("pelt.judge", icon="VIEWZOOM")
        if settings.report:
            box = layout.box().column(align=True)
            for line in settings.report.split("\n"):
                box.label(text=line.lstrip("! "), icon="ERROR" if line.startswith("!") else "BLANK1")


class VIEW3D_PT_pelt_weights(_Panel, bpy.types.Panel):
    """Verbs whose options are in the panel of the last operation, below on the left, or in F9."""

    bl_label = "Weights and Levels"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        column = self.layout.column(align=True)
        for each in weights.CLASSES:
            column.operator(each.bl_idname)
        self.layout.operator("pelt.transfer", icon="MOD_DATA_TRANSFER")
        self.layout.operator("pelt.lod", icon="MOD_DECIM")


class VIEW3D_PT_pelt_mush(_Panel, bpy.types.Panel):
    bl_label = "Mush"

    def draw(self, context):
        layout, armature = self.layout, _armature(context)
        layout.use_property_split, layout.use_property_decorate = True, False
        row = layout.row(align=True)
        row.operator("pelt.mush", icon="MOD_SMOOTH")
        row.operator("pelt.unmush", text="", icon="X")
        if armature is None:
            return
        if armature.name in mush.faults:
            layout.label(text=mush.faults[armature.name], icon="ERROR")
        settings = armature.pelt
        column = layout.column(align=True)
        for name in ("start", "iterations", "automatic"):
            column.prop(settings, name)
        if not settings.automatic:
            column.prop(settings, "lambda_")
            column.prop(settings, "kappa")
        column.prop(settings, "alpha")
        column.prop(settings, "connect")
        active = context.view_layer.objects.active
        column = layout.column(align=True)
        for name, _ in mush_options.MAPS:
            if active.type == "MESH":
                column.prop_search(settings, f"{name}_group", active, "vertex_groups")
            else:
                column.prop(settings, f"{name}_group")
        column = layout.column(align=True)
        column.prop(settings, "laplacian")
        column.prop(settings, "smoothing")
        for name in mush_options.more_options():
            column.prop(settings, name)


class VIEW3D_PT_pelt_bake(_Panel, bpy.types.Panel):
    bl_label = "Bake"

    def draw(self, context):
        layout, settings = self.layout, context.scene.pelt
        layout.use_property_split, layout.use_property_decorate = True, False
        column = layout.column(align=True)
        for name in ("influences", "helpers", "virtual_joints", "helper_motion", "bake_motion", "step"):
            column.prop(settings, name)
        layout.operator("pelt.bake", icon="RENDER_ANIMATION")


class VIEW3D_PT_pelt_sequences(_Panel, bpy.types.Panel):
    bl_label = "From Animated Meshes"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, settings = self.layout, context.scene.pelt
        layout.use_property_split, layout.use_property_decorate = True, False
        column = layout.column(align=True)
        for name in ("influences", "step"):
            column.prop(settings, name)
        column = layout.column(align=True)
        column.prop(settings, "target")
        column.prop(settings, "extra_bones")
        layout.operator("pelt.fit", icon="MOD_MESHDEFORM")
        column = layout.column(align=True)
        column.prop(settings, "bones")
        column.prop(settings, "hierarchy")
        layout.operator("pelt.decompose", icon="GROUP_BONE")


class VIEW3D_PT_pelt_files(_Panel, bpy.types.Panel):
    bl_label = "Files and Measuring"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        column = self.layout.column(align=True)
        for name, icon in _FILES:
            column.operator(f"pelt.{name}", icon=icon)


class VIEW3D_PT_pelt_pose(_Panel, bpy.types.Panel):
    bl_label = "Pose"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = self.layout
        layout.operator("pelt.pin", icon="PINNED")
        active = context.view_layer.objects.active
        if active and active.type == "EMPTY" and active.pelt.bone:
            layout.prop(active.pelt, "turns")
        layout.prop(context.scene.pelt, "follow_pins")
        layout.operator("pelt.pose", icon="ARMATURE_DATA")


CLASSES = (
    VIEW3D_PT_pelt,
    VIEW3D_PT_pelt_weights,
    VIEW3D_PT_pelt_mush,
    VIEW3D_PT_pelt_bake,
    VIEW3D_PT_pelt_sequences,
    VIEW3D_PT_pelt_files,
    VIEW3D_PT_pelt_pose,
)
