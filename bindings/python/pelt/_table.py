"""The verbs of the library's table as Python sees them: their arguments, types and texts."""
from __future__ import annotations

import inspect
import json
import keyword
import re
import textwrap
from typing import Any, NamedTuple

from ._library import lib

Row = dict[str, Any]

#: The verbs that are everywhere, by name, as `pelt verbs --json` describes them.
TABLE: dict[str, Row] = {
    verb["name"]: verb for verb in json.loads(lib.pelt_verbs().decode())["verbs"] if verb["where"] == "everywhere"
}
#: Those that are made from the table; Character.deform is written by hand, because it takes matrices.
MADE = {name: verb for name, verb in TABLE.items() if name != "deform"}
#: Options of `pose` that a poser takes.
POSER = ("energy", "clusters", "extra_weights", "extra_kind", "clip", "at", "fps", "free", "keep_lengths", "limits")
#: Arguments that have another name in Python.
_NAMES = {("compare", "mesh"): "rest"}


class Argument(NamedTuple):
    """An argument of a verb as Python has it."""

    name: str  # with an underscore where it is a word of Python: lambda_
    key: str  # in the table
    type: str
    help: str
    required: bool = False
    positional: bool = False


#: What every verb takes.
COMMON = [
    Argument(
        "progress",
        "progress",
        "ProgressCallback",
        "called with the fraction done (0 to 1) and the stage; returning False cancels",
    ),
    Argument("threads", "threads", "int", "at most so many threads, 0 for all cores; results do not depend on it"),
]


def python_name(name: str) -> str:
    return name + "_" if keyword.iskeyword(name) else name


def _text_of(text: str) -> str:
    """A text of the table with Python's names in place of flags."""
    return re.sub(r"--([a-z][a-z-]*)", lambda flag: python_name(flag[1].replace("-", "_")), text)


def option_type(option: Row) -> str:
    """The type of an option in stubs and signatures."""
    types = {"number": "float", "integer": "int", "flag": "bool", "clip": "str | int", "file": "Path"}
    one = types.get(option["type"], "str")
    if option["choices"]:
        one = "Literal[" + ", ".join(json.dumps(word) for word in option["choices"]) + "]"
        if "off" in option["choices"]:
            one += " | bool"
    elif one == "str" and re.match(r"N\||SLICE", option["values"]):
        one = "int | str"
    if is_map(option):
        return f"{one} | ArrayLike"
    if option["many"] and "=" in option["values"]:
        return f"{one} | Sequence[{one}] | Mapping[str, float]"
    return f"{one} | Sequence[{one}]" if option["many"] else one


def is_map(option: Row) -> bool:
    """A number for each vertex."""
    return bool(option["values"].endswith("ATTRIBUTE"))


_INPUT_TYPES = {
    "character": "Character | Path",
    "clips": "Character | Path",
    "limits": "dict[str, Any] | Path",
    "handles": "list[dict[str, Any]] | dict[str, Any] | Path",
    "tets": "Path",
    "numbers": "Path",
    "picture": "bytes | ArrayLike | Path",
    "mesh": "Character | ArrayLike | tuple[ArrayLike, ArrayLike] | Path",
}


def _input_argument(verb: Row, row: Row) -> Argument:
    one = _INPUT_TYPES.get(row["kind"], "ArrayLike | Character | Path")
    many = f"{one} | Sequence[{one}]" if row["many"] else one
    shape = {
        "mesh": " (V, 3) positions, a pair of them and (T, 3) triangles, a Character or a file.",
        "sequence": " (F, V, 3) float32, or a file.",
        "poses": " (F, V, 3) float32, or a file.",
        "picture": " (H, W, 4) or (H, W, 3) uint8, the bytes of a file, or a file.",
    }
    text = _text_of(row["help"]).rstrip(".") + "." + shape.get(row["kind"], "")
    name = _NAMES.get((verb["name"], row["name"]), python_name(row["name"]))
    return Argument(name, row["name"], many, text, row["required"], row["required"])


def _option_argument(row: Row, first: bool) -> Argument:
    alone = row["positional"] or (first and row["name"] == "method")
    return Argument(
        python_name(row["name"]), row["name"], option_type(row), _text_of(row["help"]), row["positional"], alone
    )


def is_method(verb: Row) -> bool:
    """Whether Character has the verb: its first input may be a character, which the others do not equal."""
    inputs = verb["inputs"]
    kinds = [row["kind"] for row in inputs if row["required"]]
    return bool(kinds) and (kinds[0] == "character" or (kinds[0] == "any" and kinds.count("any") == 1))


def arguments(verb: Row) -> list[Argument]:
    """Those of a verb but `self`, `progress` and `threads`: what may be given by position comes first."""
    inputs = [_input_argument(verb, row) for row in verb["inputs"][1 if is_method(verb) else 0 :]]
    alone = not any(each.required for each in inputs)
    options = [_option_argument(row, alone) for row in verb["options"] if row["where"] == "everywhere"]
    types = {each.name: each.type for each in inputs}
    options = [
        each._replace(type=f"{each.type} | {types[each.name]}") if each.name in types else each for each in options
    ]
    named = {each.name for each in options}
    outputs = [
        Argument(row["name"], row["name"], "bool", f"{_text_of(row['help'])}; it is in the result's `outputs`")
        for row in verb["outputs"]
        if row["name"] != "output" and row["where"] == "everywhere"
    ]
    if len(result_kinds(verb)) > 1:
        words = ", ".join(json.dumps(kind) for kind in result_kinds(verb))
        outputs.append(Argument("output", "output", f"Literal[{words}]", "what is made of it"))
    merged = options + [each for each in inputs if each.name not in named] + outputs
    return sorted(merged, key=lambda each: (not each.positional, not each.required))


def result_kinds(verb: Row) -> list[str]:
    """What the main result may be, the default first; [""] of a verb that only reports."""
    kinds: list[str] = next((row["kinds"] for row in verb["outputs"] if row["name"] == "output"), [""])
    return kinds[:1] if kinds[0] == "folder" else kinds


def result_type(kind: str) -> str:
    return {"character": "Character", "folder": "Characters", "rig": "Packed", "": "Report"}.get(kind, "Frames")


def signature(verb: Row) -> inspect.Signature:
    parameter = inspect.Parameter
    listed = [parameter("self", parameter.POSITIONAL_OR_KEYWORD)] if is_method(verb) else []
    for each in arguments(verb):
        kind = parameter.POSITIONAL_OR_KEYWORD if each.positional else parameter.KEYWORD_ONLY
        default = parameter.empty if each.required else None
        listed.append(parameter(each.name, kind, default=default, annotation=each.type))
    listed += [parameter(each.name, parameter.KEYWORD_ONLY, default=None, annotation=each.type) for each in COMMON]
    return inspect.Signature(listed, return_annotation=" | ".join(map(result_type, result_kinds(verb))))


def options_text(listed: list[Argument]) -> str:
    rows = [f"{each.name}: {each.help}" for each in listed]
    return "\n".join(textwrap.fill(row, 110, subsequent_indent="    ") for row in rows)


def method_options() -> list[Argument]:
    """The options of methods."""
    rows = [
        row for row in TABLE["deform"]["options"] if row["group"] == "Direct Delta Mush" or "--method" in row["group"]
    ]
    return [_option_argument(row, False) for row in rows]


def poser_options() -> list[Argument]:
    """The options of a poser."""
    rows = {each.key: each for each in arguments(TABLE["pose"])}
    return [rows[name] for name in POSER]


def show_options(call: Any, listed: list[Argument]) -> None:
    """What a call takes as `**options`, for help() and completion."""
    call.__doc__ = inspect.cleandoc(call.__doc__ or "") + "\n\n" + options_text(listed) + "\n"
    parameter = inspect.Parameter
    own = inspect.signature(call)
    named = [each for each in own.parameters.values() if each.kind != parameter.VAR_KEYWORD]
    taken = {each.name for each in named}
    named += [
        parameter(each.name, parameter.KEYWORD_ONLY, default=None, annotation=each.type)
        for each in listed
        if each.name not in taken
    ]
    call.__signature__ = own.replace(parameters=named)


def text(verb: Row) -> str:
    """The docstring of a verb."""
    made = {
        "character": "Returns a new Character; its `report` is what the verb says of its work.",
        "folder": "Returns a list of Characters; its `report` is what the verb says of its work.",
        "rig": "Returns bytes.",
        "": "Returns the report.",
    }.get(result_kinds(verb)[0], "Returns (F, V, 3) float32.")
    return f"{_text_of(verb['summary'])}.\n\n{made}\n\n{options_text(arguments(verb) + COMMON)}\n"
