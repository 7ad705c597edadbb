"""The settings of a mush, kept with its armature, as options of the library."""
from . import table

MAPS = (("lambda", "_LAMBDA"), ("kappa", "_KAPPA"), ("alpha", "_ALPHA"))

#: Options with a property of their own in `settings`.
_OWN = ("iterations", "alpha", "laplacian", "smoothing", "bind", "connect_parts", "lambda_", "kappa")


def more_options():
    """The rows of the table that have no property of their own in `settings`, by name."""
    rows = {name: row for name, row in table.rows_of("mush").items() if name not in _OWN}
    return {name: row for name, row in rows.items() if not name.endswith("_map")}


def options_of(armature):
    """The panel's settings as options of the library."""
    s = armature.pelt
    options = {
        "iterations": s.iterations,
        "alpha": s.alpha,
        "laplacian": s.laplacian.lower(),
        "smoothing": s.smoothing.lower(),
        "bind": s.start.lower(),
        "connect_parts": "auto" if s.connect else "off",
    }
    if not s.automatic:
        options["lambda_"], options["kappa"] = s.lambda_, s.kappa
    for name, row in more_options().items():
        value = table.value_of(row, getattr(s, name))
        if value is not None:
            options[name] = value
    options.update({f"{name}_map": attribute for name, attribute in MAPS if getattr(s, f"{name}_group")})
    return options
