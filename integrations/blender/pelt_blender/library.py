"""The Python package of Pelt: the one in the add-on's zip, else one that is installed."""
import importlib.util

if importlib.util.find_spec(f"{__package__}.pelt"):
    from . import pelt
else:
    import pelt

__all__ = ["pelt"]
