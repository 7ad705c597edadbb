"""Operators whose work takes long: a modal operator with progress and Esc, straight through without a window.

The work itself runs in a thread, which never touches the scene: the library releases Python's lock while it computes.
"""
import contextlib
import queue
import threading
import time

import bpy

from .library import pelt
from .scene import Fault

_STEP = 0.05  # seconds between two looks at the thread
_FAULTS = (Fault, pelt.Error)


class LongWork:
    """`gather(context)` reads the scene: a generator that yields (fraction, stage) and returns `work(progress)`.

    `finish(context, result)` writes what the work gave into the scene and returns a sentence for the user.
    """

    bl_options = {"REGISTER", "UNDO"}
    _thread = None

    @classmethod
    def poll(cls, context):
        return context.view_layer is not None and context.view_layer.objects.active is not None

    def execute(self, context):
        """Without a window, and from scripts: everything at once."""
        try:
            with scene_kept(context):
                work = _exhausted(self.gather(context))
            return self._end(context, work(lambda *_: True))
        except _FAULTS as fault:
            return self._refuse(fault)

    def invoke(self, context, _event):
        if bpy.app.background:
            return self.execute(context)
        self._gathering, self._kept = self.gather(context), contextlib.ExitStack()
        self._kept.enter_context(scene_kept(context))
        self._told, self._results, self._cancelled = (0.0, "read"), queue.Queue(), threading.Event()
        self._timer = context.window_manager.event_timer_add(_STEP, window=context.window)
        context.window_manager.progress_begin(0, 100)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC" and event.value == "PRESS":
            self._cancelled.set()
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}  # the scene must not change under the work
        try:
            if self._thread is None:
                return self._gather_on(context)
            return self._look(context)
        except _FAULTS as fault:
            self._close(context)
            return self._refuse(fault)
        except Exception:
            self._close(context)
            raise

    def _gather_on(self, context):
        """Reads on for as long as a step lasts; then the thread starts."""
        if self._cancelled.is_set():
            raise Fault("cancelled: nothing was changed")
        until = time.monotonic() + _STEP
        try:
            while time.monotonic() < until:
                self._told = next(self._gathering)
        except StopIteration as end:
            self._kept.close()
            self._thread = threading.Thread(target=self._work, args=(end.value,), daemon=True)
            self._thread.start()
        self._show(context)
        return {"RUNNING_MODAL"}

    def _work(self, work):
        def progress(fraction, stage):
            self._told = (fraction, stage)
            return not self._cancelled.is_set()

        try:
            self._results.put((work(progress), None))
        except BaseException as fault:  # the main thread tells the user
            self._results.put((None, fault))

    def _look(self, context):
        self._show(context)
        try:
            result, fault = self._results.get_nowait()
        except queue.Empty:
            return {"RUNNING_MODAL"}
        if fault is not None:
            raise fault
        self._close(context)
        return self._end(context, result)

    def _show(self, context):
        fraction, stage = self._told
        context.window_manager.progress_update(100 * fraction)
        context.workspace.status_text_set(f"Pelt: {stage} {100 * fraction:.0f} %   (Esc cancels)")

    def _close(self, context):
        self._gathering.close()
        self._kept.close()
        context.window_manager.event_timer_remove(self._timer)
        context.window_manager.progress_end()
        context.workspace.status_text_set(None)

    def _end(self, context, result):
        with objects_kept(context):
            self.report({"INFO"}, self.finish(context, result))
        return {"FINISHED"}

    def _refuse(self, fault):
        if getattr(fault, "code", None) == "cancelled":
            self.report({"WARNING"}, "cancelled: nothing was changed")
        else:
            self.report({"ERROR"}, str(fault))
        return {"CANCELLED"}


def _exhausted(generator):
    while True:
        try:
            next(generator)
        except StopIteration as end:
            return end.value


_CHANNELS = ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle", "scale")


@contextlib.contextmanager
def scene_kept(context):
    """The frame is afterwards what it was, and so is a pose that has no keys yet, which going to a frame takes away."""
    current = context.scene
    frame, subframe = current.frame_current, current.frame_subframe
    bones = [bone for each in current.objects if each.type == "ARMATURE" for bone in each.pose.bones]
    keys = [
        key
        for each in current.objects
        if getattr(each.data, "shape_keys", None)
        for key in each.data.shape_keys.key_blocks
    ]
    poses = [[tuple(getattr(bone, channel)) for channel in _CHANNELS] for bone in bones]
    values = [key.value for key in keys]
    try:
        yield
    finally:
        if (current.frame_current, current.frame_subframe) != (frame, subframe):
            current.frame_set(frame, subframe=subframe)
        for bone, pose in zip(bones, poses):
            for channel, value in zip(_CHANNELS, pose):
                setattr(bone, channel, value)
        for key, value in zip(keys, values):
            key.value = value


@contextlib.contextmanager
def objects_kept(context):
    """What was active, selected and in which mode is so afterwards too."""
    layer = context.view_layer
    active, mode = layer.objects.active, context.mode
    selected = [o for o in layer.objects if o.select_get()]
    if active and active.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    try:
        yield
    finally:
        for each in layer.objects:
            each.select_set(each in selected)
        layer.objects.active = active
        if mode == "POSE" and active and active.type == "ARMATURE":
            bpy.ops.object.mode_set(mode="POSE")
