# SPDX-License-Identifier: GPL-3.0-or-later
"""Pelt for Blender: Direct Delta Mush in the viewport, weights, helper bones, bones from animated meshes, posing."""

bl_info = {
    "name": "Pelt",
    "author": "The Pelt authors",
    "version": (0, 2, 0),
    "blender": (3, 4, 0),
    "location": "View3D > Sidebar > Pelt",
    "description": "Smooth character skin: bind, mush, bake, fit, decompose, pose",
    "category": "Rigging",
}

from . import files, meshes, mush, operators, panel, posing, sequences, settings, weights

MODULES = (operators, weights, meshes, sequences, files, posing, panel)


def register():
    import bpy

    settings.register()
    for module in MODULES:
        for each in module.CLASSES:
            bpy.utils.register_class(each)
    posing.register()  # before the mush, which shows what it poses
    mush.register()


def unregister():
    import bpy

    mush.unregister()
    posing.unregister()
    for module in reversed(MODULES):
        for each in reversed(module.CLASSES):
            bpy.utils.unregister_class(each)
    settings.unregister()
