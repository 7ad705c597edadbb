import type { App } from "../app.js";
import { button, checkbox, segmented } from "./controls.js";
import { count, h, section } from "./dom.js";
import { chooseVerb } from "./panel_make.js";
import { validate } from "../file/validate.js";

/** What is in the file, and how it is drawn. */
export function lookPanel(app: App): HTMLElement[] {
  const { store } = app,
    { info, joints, clips } = app.loaded!;
  const facts: [string, string][] = [
    ["Vertices", count(info.vertices)],
    ["Triangles", count(info.triangles)],
    ["Joints", count(joints.length)],
    ["Joints per vertex", info.max_influences ? `at most ${info.max_influences}` : "–"],
    ["Clips", count(clips.length)],
    info.ddm?.fitted
      ? ["Fitted", "weights of any sign"]
      : ["Mushed", info.ddm ? `yes, ${info.ddm.variant}` : "no; shown exactly"],
  ];
  return [
    ...(app.unbound ? [bindSection(app)] : []),
    section(
      "Display",
      segmented(store, "shading", "Shading", [
        ["materials", "Materials"],
        ["clay", "Clay"],
        ["weights", "Weights"],
      ]),
      h(
        "div",
        { class: "checks" },
        checkbox(store, "wireframe", "Wireframe", "W"),
        checkbox(store, "skeleton", "Skeleton", "S"),
        checkbox(store, "names", "Joint names", "N"),
      ),
    ),
    section(
      "File",
      h("dl", { class: "facts" }, ...facts.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
    ),
    partsSection(app),
    jointsSection(app),
    problemsSection(app),
  ];
}

/** A skeleton that moves nothing. */
function bindSection(app: App): HTMLElement {
  const bind = () => {
    chooseVerb("bind");
    app.store.change({ activity: "make" });
  };
  return section(
    "No weights",
    h("p", {}, "The mesh and its skeleton are shown at rest: nothing says which joint moves which part."),
    button("Bind…", bind, "primary"),
  );
}

function partsSection(app: App): HTMLElement {
  const { store } = app;
  const rows = app.model!.parts.map((part, i) => {
    const input = h("input", {
      type: "checkbox",
      checked: !store.state.hiddenParts.includes(i),
      onchange: () =>
        store.change({
          hiddenParts: input.checked ? store.state.hiddenParts.filter((p) => p !== i) : [...store.state.hiddenParts, i],
        }),
    });
    store.subscribe((changed) => {
      if (changed.has("hiddenParts")) input.checked = !store.state.hiddenParts.includes(i);
    });
    return h("label", { class: "check" }, input, h("span", {}, part.name), h("small", {}, count(part.triangles)));
  });
  return section(`Parts`, h("div", { class: "list parts" }, ...rows));
}

/** All joints, as a tree; typing narrows it. Choosing one shows its weights. */
export function jointsSection(app: App): HTMLElement {
  const { store } = app,
    { joints } = app.loaded!;
  const list = h("div", { class: "list joints", role: "listbox", "aria-label": "Joints", tabindex: "0" });
  const search = h("input", {
    type: "search",
    placeholder: "Search joints",
    "aria-label": "Search joints",
    oninput: () => fill(),
  });
  const fill = () => {
    const wanted = search.value.trim().toLowerCase();
    list.replaceChildren(
      ...joints.flatMap(({ name }, j) => {
        if (wanted && !name.toLowerCase().includes(wanted)) return [];
        const depth = wanted ? 0 : Math.min(depthOf(joints, j), 9);
        return [
          h(
            "div",
            {
              role: "option",
              id: `joint-${j}`,
              "aria-selected": String(store.state.joint === name),
              style: `padding-left: ${10 + 11 * depth}px`,
              onclick: () => choose(name),
            },
            name,
          ),
        ];
      }),
    );
  };
  const choose = (name: string) => {
    const off = store.state.joint === name;
    store.change({ joint: off ? null : name, ...(off ? {} : { skeleton: true }) });
  };
  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const options = [...list.children] as HTMLElement[];
    const at = options.findIndex((option) => option.getAttribute("aria-selected") === "true");
    const next = options[Math.min(Math.max(at + step, 0), options.length - 1)];
    if (next && next !== options[at]) store.change({ joint: next.textContent, skeleton: true });
  });
  store.subscribe((changed) => {
    if (!changed.has("joint")) return;
    for (const option of list.children) {
      const chosen = option.textContent === store.state.joint;
      option.setAttribute("aria-selected", String(chosen));
      if (chosen) (option as HTMLElement).scrollIntoView({ block: "nearest" });
    }
  });
  fill();
  if (joints.length === 0) return section("Joints", h("p", { class: "muted" }, "This file has no skeleton."));
  return section("Joints", search, list);
}

function depthOf(joints: readonly { parent: number }[], j: number): number {
  let depth = 0;
  for (let at = joints[j].parent; at >= 0; at = joints[at].parent) ++depth;
  return depth;
}

function problemsSection(app: App): HTMLElement {
  const { info } = app.loaded!;
  const found: string[] = [...(info.problems ?? []), ...(info.warnings ?? [])];
  const list = h(
    "ul",
    { class: "problems" },
    ...(found.length > 0
      ? found.map((text) => h("li", {}, text))
      : [h("li", { class: "good" }, "Pelt found no problem.")]),
  );
  const report = h("div", { class: "validator" });
  const check = h(
    "button",
    {
      type: "button",
      onclick: async () => {
        check.disabled = true;
        report.textContent = "Validating…";
        report.replaceChildren(
          ...(await validate(app.file!.bytes)).map(({ text, severity }) => h("p", { class: severity }, text)),
        );
        check.disabled = false;
      },
    },
    "Khronos validator",
  );
  return section("Problems", list, check, report);
}
