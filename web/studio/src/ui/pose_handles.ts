import type { App } from "../app.js";
import { labelOf } from "../pose/handles.js";
import { poseTools } from "../pose/tools.js";
import { type Constraint, constraints, type PoseHandle, type Triple } from "../state/settings.js";
import { button } from "./controls.js";
import { h, icon, iconButton, number, refill, section } from "./dom.js";

/** The handles, and what the pointer does with them. */
export function handlesSection(app: App): HTMLElement {
  const { store } = app,
    { joints } = app.loaded!,
    jointed = joints.length > 0;
  const list = h("div", { class: "handles" }),
    tools = h("div", {});
  const fillTools = () => tools.replaceChildren(...toolRows(app));
  const fill = () => {
    const { offsets, rotations } = app.pose.targets();
    refill(
      list,
      ...store.state.handles.map((handle, i) => handleRow(app, handle, i, offsets[i], rotations[i])),
      store.state.handles.length === 0 && h("p", { class: "muted" }, invitation(jointed)),
    );
  };
  store.subscribe((changed) => {
    if (["handles", "keys", "manner"].some((key) => changed.has(key as never))) fill();
    else if (changed.has("time") && !store.state.playing) fill();
    if (changed.has("manner")) fillTools();
  });
  fillTools();
  fill();
  return section("Handles", tools, list, jointed && jointRow(app));
}

const invitation = (jointed: boolean) =>
  jointed
    ? "Click a joint in the view and pull it. Choose Point or Region to take hold of the skin. " +
      "Pinned handles stay in place."
    : "Click the shape to place handles: pin one, then pull another. A segment is a bone that turns the shape around it.";

/** A handle for a joint that is chosen by name. */
function jointRow(app: App): HTMLElement {
  const { store } = app;
  const select = h(
    "select",
    { "aria-label": "Joint to hold" },
    ...app.loaded!.joints.map(({ name }) => h("option", { value: name }, name)),
  );
  const addJoint = (pinned: boolean) => {
    if (store.state.handles.some(({ joint }) => joint === select.value)) return;
    app.pose.add({ joint: select.value, pinned, offset: [0, 0, 0] });
  };
  return h(
    "div",
    { class: "row" },
    select,
    button("Pull", () => addJoint(false)),
    button("Pin", () => addJoint(true)),
  );
}

function handleRow(app: App, handle: PoseHandle, i: number, offset: Triple, rotation: Triple): HTMLElement {
  const { store } = app,
    name = labelOf(handle),
    given = handle.constraint ?? "position",
    numbers = !handle.pinned && given !== "free";
  const toggled = h(
    "button",
    {
      type: "button",
      class: "icon-button",
      "aria-label": `Pin ${name}`,
      title: "Held in place",
      "aria-pressed": String(handle.pinned),
      onclick: () =>
        store.change({
          handles: store.state.handles.map((old, k) => (k === i ? { ...old, pinned: !old.pinned } : old)),
        }),
    },
    icon("pin"),
  );
  const mirror = iconButton("mirror", `Mirror ${name}`, () => {
    if (!app.pose.mirror(i)) app.tell(`${name} has no other side, or it has a handle already.`, "info");
  });
  const remove = iconButton("close", `Remove ${name}`, () => app.pose.remove(i));
  return h(
    "div",
    { class: "handle" },
    handle.joint ? h("span", { class: "handle-name" }, name) : nameField(app, handle, i),
    toggled,
    mirror,
    remove,
    !handle.pinned && kindRow(app, handle, i, name),
    numbers && given !== "rotation" && h("div", { class: "axes" }, ...moveFields(app, i, name, offset)),
    numbers && given !== "position" && h("div", { class: "axes" }, ...turnFields(app, i, name, rotation)),
  );
}

function nameField(app: App, handle: PoseHandle, i: number): HTMLElement {
  const name = labelOf(handle);
  const input = h("input", {
    class: "handle-name",
    type: "text",
    value: handle.name ?? "",
    placeholder: name,
    "aria-label": `Name of ${name}`,
    onchange: () => app.pose.edit(i, { name: input.value.trim() || undefined }),
  });
  return input;
}

const kindLabels: Record<Constraint, string> = {
  position: "Place is given",
  rotation: "Turn is given",
  full: "Place and turn are given",
  free: "Nothing is given",
};

/** What is given of a handle; skin of a character has a place alone. */
function kindRow(app: App, handle: PoseHandle, i: number, name: string): HTMLElement | false {
  if (app.loaded!.joints.length > 0 && !handle.joint) return false;
  const select = h(
    "select",
    {
      class: "handle-kind",
      "aria-label": `What is given of ${name}`,
      onchange: () => app.pose.edit(i, { constraint: select.value as Constraint }),
    },
    ...constraints.map((kind) => h("option", { value: kind }, kindLabels[kind])),
  );
  select.value = handle.constraint ?? "position";
  return select;
}

const axes = ["x", "y", "z"] as const;

function moveFields(app: App, i: number, name: string, offset: Triple): HTMLElement[] {
  return axes.map((axis, c) =>
    field(axis, `${name}, offset along ${axis}`, offset[c], (value) =>
      app.pose.drag(i, { offset: app.pose.targets().offsets[i].map((old, k) => (k === c ? value : old)) as Triple }),
    ),
  );
}

function turnFields(app: App, i: number, name: string, rotation: Triple): HTMLElement[] {
  return axes.map((axis, c) =>
    field(`${axis}°`, `${name}, degrees about ${axis}`, rotation[c], (value) =>
      app.pose.drag(i, {
        rotation: app.pose.targets().rotations[i].map((old, k) => (k === c ? value : old)) as Triple,
      }),
    ),
  );
}

function field(axis: string, label: string, value: number, set: (value: number) => void): HTMLElement {
  const input = h("input", {
    type: "number",
    step: "any",
    value: number(value),
    "aria-label": label,
    onchange: () => set(Number(input.value) || 0),
  });
  return h("span", { class: "axis" }, h("i", { "aria-hidden": "true" }, axis), input);
}

/** A choice that is not a setting: how the pointer takes hold. */
function tool<T>(label: string, choices: [T, string][], value: T, choose: (value: T) => void): HTMLElement {
  const name = label.toLowerCase().replaceAll(" ", "-");
  return h(
    "div",
    { class: "segmented wrap", role: "radiogroup", "aria-label": label },
    ...choices.flatMap(([choice, text], i) => [
      h("input", {
        type: "radio",
        name,
        id: `${name}-${i}`,
        checked: choice === value,
        onchange: () => choose(choice),
      }),
      h("label", { for: `${name}-${i}` }, text),
    ]),
  );
}

function toolRows(app: App): HTMLElement[] {
  const jointed = app.loaded!.joints.length > 0,
    free = app.pose.isFree;
  const kinds: [typeof poseTools.picks, string][] = [
    ...(jointed ? ([["joint", "Joint"]] as const) : []),
    ["point", "Point"],
    ["region", "Region"],
    ["brush", "Brush"],
    ["lasso", "Lasso"],
    ...(jointed ? [] : ([["segment", "Segment"]] as const)),
  ].map(([kind, text]) => [kind, text] as [typeof poseTools.picks, string]);
  if (!kinds.some(([kind]) => kind === poseTools.picks)) poseTools.picks = kinds[0][0];
  const picks = tool("A click takes", kinds, poseTools.picks, (value) => (poseTools.picks = value));
  const does = tool<typeof poseTools.does>(
    "A drag does",
    [
      ["move", "Move"],
      ["turn", "Turn"],
      ...(jointed ? [] : ([["scale", "Scale"]] as [typeof poseTools.does, string][])),
    ],
    poseTools.does,
    (value) => (poseTools.does = value),
  );
  const along = tool<typeof poseTools.axis>(
    "A pull goes",
    [
      [null, "Free"],
      ["x", "X"],
      ["y", "Y"],
      ["z", "Z"],
    ],
    poseTools.axis,
    (value) => (poseTools.axis = value),
  );
  if (!free) poseTools.atRest = false;
  return [
    h("div", { class: "row tool" }, h("span", {}, "Click"), picks),
    h("div", { class: "row tool" }, h("span", {}, "Drag"), does),
    h("div", { class: "row tool" }, h("span", {}, "Pull"), along),
    ...(free && !jointed ? [restRow(app)] : []),
  ];
}

/** Handles of a mesh without joints take hold elsewhere while the shape is shown at rest. */
function restRow(app: App): HTMLElement {
  const input = h("input", {
    type: "checkbox",
    checked: poseTools.atRest,
    onchange: () => {
      poseTools.atRest = input.checked;
      app.refresh();
    },
  });
  return h("label", { class: "check" }, input, h("span", {}, "Move handles on the shape at rest"));
}
