"""The Python package of Pelt: the one in the add-on's zip, else one that is installed."""
import importlib.util

if importlib.util.find_spec(f"{__package__}.pelt"):
    from . import pelt
    from .pelt._table import TABLE, python_name
else:
    import pelt
    from pelt._table import TABLE, python_name

__all__ = ["pelt", "TABLE", "python_name"]
