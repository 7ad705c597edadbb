"""The library's table of verbs as Blender shows it: properties of operators, and the options that these stand for.

A property that keeps its default is not handed over. Where the table has no default, 0, an empty text or `automatic`
stand for it.
"""
import math
import re

from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, StringProperty

from .library import TABLE, python_name
from .scene import Fault

AUTOMATIC = "automatic"
MUSH = "Direct Delta Mush"  # the group of options that are kept with an armature
_COMMON, _FRAMES = "Common options", "Clips and frames"
_MOST = 2**31 - 1

#: Verbs that are no operators, and why.
EXCEPTIONS = {}
#: Options that no operator has, and why; those of clips and frames are the scene's.
LEFT_OUT = {
    ("deform", "no_props"): "the meshes are chosen in the scene",
    ("deform", "base"): "of a file or a sequence",
    ("pack", "base"): "of a file or a sequence",
    ("compare", "no_props"): "the meshes are chosen in the scene",
    ("clean", "unused_joints"): "the bones of an armature are also those of its controls and actions",
    ("mush", "variant"): "of a mushed file",
    ("mush", "payload"): "of a mushed file",
    ("mush", "influences"): "of a mushed file",
    ("pose", "method"): "of a sequence",
    ("pose", "at"): "the pose of now is the start",
    ("pose", "extra_weights"): "the armature has its bones only",
    ("pose", "extra_kind"): "the armature has its bones only",
    ("pose", "keep_lengths"): "bones always keep their lengths",
    ("pose", "free"): "bones always keep their lengths",
    ("pose", "influences"): "of a file of the free pose",
    ("pose", "max_error"): "of a file of the free pose",
    ("pose", "unreduced"): "the armature has its bones only",
    ("decompose", "eigenskin"): "it is no plain skin, which is all that an armature can show",
}


def rows_of(verb):
    """The options of a verb that have sense on an armature and its meshes, by their names as properties; the common
    ones first."""
    shown = [
        row
        for row in TABLE[verb]["options"]
        if row["where"] == "everywhere"
        and row["type"] not in ("file", "clip")
        and row["group"] != _FRAMES
        and (verb, row["name"]) not in LEFT_OUT
    ]
    shown.sort(key=lambda row: row["group"] != _COMMON)
    return {python_name(row["name"]): row for row in shown}


def label(name):
    return name.replace("_", " ").title()


def help_of(text):
    """A text of the table without the program's flags."""
    return re.sub(r"--([a-z][a-z-]*)", lambda flag: label(flag[1].replace("-", "_")), text)


def _is_list(row):
    return row["many"] or row["type"] in ("text", "joint", "joints")


def property_of(row, **more):
    """One option as a property of Blender's."""
    known = {"name": label(row["name"]), "description": help_of(row["help"]), **more}
    default, least, most = row["default"], row["min"], row["max"]
    if row["choices"]:
        items = [(word, label(word.replace("-", "_")), "") for word in row["choices"]]
        if default is None and not row["positional"]:
            items.insert(0, (AUTOMATIC, label(AUTOMATIC), ""))
        return EnumProperty(items=items, default=default or items[0][0], **known)
    if row["type"] == "flag":
        return BoolProperty(default=bool(default), **known)
    if _is_list(row):
        if row["many"]:
            known["description"] += " (separated by commas)"
        return StringProperty(default=str(default or ""), **known)
    if default is None:
        known["description"] += " (0: not given)"
    default = default or 0
    least = min(default, -math.inf if least is None else least)
    most = math.inf if most is None else most
    if row["below_max"]:
        most *= 0.9999
    if row["type"] == "integer":
        return IntProperty(default=default, min=int(max(least, -_MOST)), max=int(min(most, _MOST)), **known)
    return FloatProperty(default=default, min=max(least, -1e30), max=min(most, 1e30), precision=4, **known)


def value_of(row, value):
    """What a property says, as the library takes it; None for its default."""
    if row["choices"]:
        return None if value in (row["default"], AUTOMATIC) else value
    if row["type"] == "flag":
        return None if value == bool(row["default"]) else bool(value)
    if _is_list(row):
        return _words(row, value)
    if row["type"] == "number":
        value = float(f"{value:.7g}")  # properties are single precision
    return None if value == (row["default"] or 0) else value


def _words(row, text):
    if text.strip() == (row["default"] or ""):
        return None
    words = [word.strip() for word in text.split(",")] if row["many"] else [text.strip()]
    if row["type"] not in ("number", "integer"):
        return words if row["many"] else words[0]
    try:
        return [float(word) for word in words]
    except ValueError:
        raise Fault(f"{label(row['name'])}: '{text}' is no list of numbers") from None


def options(verb, without=(), shared=None):
    """Gives an operator a property for each option of a verb but those `without`. `shared`: which properties of the
    panel an option takes its value from where it is not given."""

    def add(operator):
        rows = {name: row for name, row in rows_of(verb).items() if name not in without}
        operator.verb, operator.rows, operator.shared = verb, rows, shared or {}
        operator.__annotations__ = dict(operator.__dict__.get("__annotations__", {}))
        for name, row in rows.items():
            known = {"options": {"SKIP_SAVE"}} if name in operator.shared else {}
            operator.__annotations__[name] = property_of(row, **known)
        return operator

    return add


def given(operator, context):
    """The options of the library that an operator's properties stand for."""
    found = {}
    for name, row in operator.rows.items():
        if name in operator.shared and not operator.properties.is_property_set(name):
            setattr(operator, name, _as_property(row, getattr(context.scene.pelt, operator.shared[name])))
        value = value_of(row, getattr(operator, name))
        if value is not None:
            found[name] = value
    return found


def _as_property(row, value):
    if row["choices"]:
        return value.lower()
    return str(value) if _is_list(row) else value
