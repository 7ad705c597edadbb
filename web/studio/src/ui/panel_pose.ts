import type { App } from "../app.js";
import { button } from "./controls.js";
import { download, h, icon, number, refill, section } from "./dom.js";
import { commandRow } from "./command.js";
import { poseCommand } from "../commands.js";
import { runVerb } from "../make.js";
import { poseTools } from "./pose_tools.js";

/** Handles, pins and keys. */
export function posePanel(app: App): HTMLElement[] {
  return [handlesSection(app), startSection(app), keysSection(app), clipSection(app)];
}

/** Where a pose starts, and how far joints go. */
function startSection(app: App): HTMLElement {
  const { store } = app;
  const choose = h("select", {
    "aria-label": "Start from",
    onchange: () => store.change({ poseFrom: choose.value === "" ? null : JSON.parse(choose.value) }),
  });
  const limits = button("Joint limits…", () => {
    if (store.state.limits) return store.change({ limits: null });
    const input = h("input", {
      type: "file",
      accept: ".json",
      onchange: () =>
        void input.files?.[0]
          ?.text()
          .then((text) => store.change({ limits: JSON.parse(text) }))
          .catch(() => app.tell(`${input.files![0].name} is no JSON file with limits of joints; see docs/bake.md.`)),
    });
    input.click();
  });
  const fill = () => {
    const { poseFrom } = store.state,
      moments = [poseFrom, app.pose.before].filter((moment) => moment !== null);
    const options = [...new Set(moments.map((moment) => JSON.stringify(moment)))].map((text) => {
      const { clip, time } = JSON.parse(text) as { clip: string; time: number };
      return h("option", { value: text }, `${clip} at ${time.toFixed(2)} s`);
    });
    choose.replaceChildren(h("option", { value: "" }, "Rest pose"), ...options);
    choose.value = poseFrom ? JSON.stringify(poseFrom) : "";
    limits.textContent = store.state.limits ? "Drop limits" : "Joint limits…";
    limits.title = "How far joints bend and twist: the file that pelt pose --limits reads";
  };
  store.subscribe((changed) => (changed.has("poseFrom") || changed.has("limits") || changed.has("activity")) && fill());
  fill();
  return section("Start", h("div", { class: "row" }, choose, limits));
}

/** A choice that is no setting: how the pointer takes hold. */
function tool<T>(label: string, choices: [T, string][], value: T, choose: (value: T) => void): HTMLElement {
  const name = label.toLowerCase().replaceAll(" ", "-");
  return h(
    "div",
    { class: "segmented", role: "radiogroup", "aria-label": label },
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

function toolRows(): HTMLElement[] {
  const picks = tool<typeof poseTools.picks>(
    "A click takes",
    [
      ["joint", "Joint"],
      ["point", "Point"],
      ["region", "Region"],
    ],
    poseTools.picks,
    (value) => (poseTools.picks = value),
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
  return [
    h("div", { class: "row tool" }, h("span", {}, "Click"), picks),
    h("div", { class: "row tool" }, h("span", {}, "Pull"), along),
  ];
}

function handlesSection(app: App): HTMLElement {
  const { store } = app,
    { joints } = app.loaded!;
  const list = h("div", { class: "handles" });
  const fill = () => {
    const { handles } = store.state,
      offsets = app.pose.offsets();
    refill(
      list,
      ...handles.map((handle, i) => {
        const name = handle.joint ?? `${handle.vertices!.length === 1 ? "point" : "region"} ${handle.vertices![0]}`;
        const pin = h(
          "button",
          {
            type: "button",
            class: "icon-button",
            "aria-label": `Pin ${name}`,
            title: "Held in place",
            "aria-pressed": String(handle.pinned),
            onclick: () =>
              store.change({ handles: handles.map((old, k) => (k === i ? { ...old, pinned: !old.pinned } : old)) }),
          },
          icon("pin"),
        );
        const axes = (["x", "y", "z"] as const).map((axis, c) =>
          h(
            "span",
            { class: "axis" },
            h("i", { "aria-hidden": "true" }, axis),
            h("input", {
              type: "number",
              step: "any",
              value: number(offsets[i][c]),
              disabled: handle.pinned,
              "aria-label": `${name}, offset along ${axis}`,
              onchange: (event: Event) => {
                const moved = [...app.pose.offsets()[i]] as [number, number, number];
                moved[c] = Number((event.target as HTMLInputElement).value) || 0;
                app.pose.drag(i, moved);
              },
            }),
          ),
        );
        return h(
          "div",
          { class: "handle" },
          h("span", { class: "handle-name" }, name),
          pin,
          h(
            "button",
            {
              type: "button",
              class: "icon-button",
              "aria-label": `Remove ${name}`,
              title: "Remove",
              onclick: () => app.pose.remove(i),
            },
            icon("close"),
          ),
          !handle.pinned && h("div", { class: "axes" }, ...axes),
        );
      }),
    );
    if (handles.length === 0)
      list.append(
        h(
          "p",
          { class: "muted" },
          "Click a joint in the view and pull it. Choose Point or Region to take hold of the skin. " +
            "Pinned handles stay in place.",
        ),
      );
  };
  const select = h(
    "select",
    { "aria-label": "Joint to hold" },
    ...joints.map(({ name }) => h("option", { value: name }, name)),
  );
  const addJoint = (pinned: boolean) => {
    if (store.state.handles.some(({ joint }) => joint === select.value)) return;
    app.pose.add({ joint: select.value, pinned, offset: [0, 0, 0] });
  };
  store.subscribe((changed) => {
    if (changed.has("handles") || changed.has("keys") || (changed.has("time") && !store.state.playing)) fill();
  });
  fill();
  return section(
    "Handles",
    ...toolRows(),
    list,
    h(
      "div",
      { class: "row" },
      select,
      button("Pull", () => addJoint(false)),
      button("Pin", () => addJoint(true)),
    ),
  );
}

function keysSection(app: App): HTMLElement {
  const { store } = app,
    list = h("div", { class: "moments" });
  const fill = () => {
    const { keys } = store.state;
    list.replaceChildren(
      ...keys.map((key) =>
        h(
          "button",
          {
            type: "button",
            "aria-label": `Key at ${key.time.toFixed(2)} s`,
            onclick: () => store.change({ time: key.time, playing: false }),
          },
          `${key.time.toFixed(2)} s`,
        ),
      ),
    );
    remove.disabled = !keys.some((key) => Math.abs(key.time - store.state.time) < 1e-3);
    set.disabled = store.state.handles.length === 0;
  };
  const set = button("Key this pose (K)", () => app.pose.setKey());
  const remove = button("Delete key", () => app.pose.deleteKey());
  store.subscribe((changed) => ["keys", "handles", "time"].some((key) => changed.has(key as never)) && fill());
  fill();
  return section("Keys", list, h("div", { class: "row" }, set, remove));
}

function clipSection(app: App): HTMLElement {
  const { store } = app;
  const make = button("Make a clip", () => void runVerb(app, "pose", {}), "primary");
  const update = () => (make.disabled = store.state.handles.length === 0);
  store.subscribe((changed) => changed.has("handles") && update());
  update();
  return section(
    "Clip",
    h(
      "p",
      { class: "muted" },
      "The keys become a clip of the file: bones keep their lengths, knees and elbows bend their way.",
    ),
    h(
      "div",
      { class: "row" },
      make,
      button("Handles file", () =>
        download(new TextEncoder().encode(JSON.stringify(app.pose.file(), null, 1)), "handles.json"),
      ),
    ),
    commandRow(app, () => poseCommand(app)),
  );
}
