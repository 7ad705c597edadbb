import type { App } from "../app.js";
import { inputName } from "../commands.js";
import { attributeOf } from "../file/attributes.js";
import { mapNames, type MapName } from "../state/settings.js";
import type { Brush } from "../view/brush.js";
import { gradientOf } from "../view/ramp.js";
import { button, choice, slider } from "./controls.js";
import { download, h, number, refill, section } from "./dom.js";

/** The settings of Direct Delta Mush; the picture follows. */
export function tunePanel(app: App, brush: Brush): HTMLElement[] {
  const { store } = app;
  const optional = <T extends string>(value: string) => (value === "" ? null : (value as T));
  return [
    section(
      "Direct Delta Mush",
      slider(store, "lambda", {
        label: "λ rotations",
        min: 0.01,
        max: 1000,
        logarithmic: true,
        automatic: 3,
        live: false,
        hint: "How far rotations are smoothed, per step",
      }),
      slider(store, "kappa", {
        label: "κ translations",
        min: 0.01,
        max: 1000,
        logarithmic: true,
        automatic: 3,
        live: true,
        hint: "How far translations are smoothed, per step",
      }),
      slider(store, "alpha", {
        label: "α follow bones",
        min: 0,
        max: 0.99,
        step: 0.01,
        automatic: 0.5,
        live: true,
        hint: "How closely translations follow the bones: 0 to below 1",
      }),
      slider(store, "iterations", { label: "Steps", min: 1, max: 50, step: 1, automatic: 10, live: false }),
      choice(
        store,
        "bind",
        "Bind",
        [
          ["", "automatic"],
          ["rigid", "rigid: heaviest joint"],
          ["keep", "keep the weights"],
        ],
        (value) => optional<"rigid" | "keep">(value),
      ),
      choice(
        store,
        "laplacian",
        "Laplacian",
        [
          ["", "automatic"],
          ["cotangent", "cotangent"],
          ["uniform", "uniform"],
        ],
        (value) => optional<"uniform" | "cotangent">(value),
      ),
    ),
    jointAlphaSection(app),
    brushSection(app, brush),
  ];
}

function jointAlphaSection(app: App): HTMLElement {
  const { store } = app,
    { joints } = app.loaded!;
  const rows = h("div", {});
  const fill = () =>
    refill(
      rows,
      ...Object.entries(store.state.jointAlpha).map(([joint, alpha]) => {
        const set = (value: number | null) => {
          const { [joint]: _, ...others } = store.state.jointAlpha;
          store.change(
            { jointAlpha: value === null ? others : { ...store.state.jointAlpha, [joint]: value } },
            `joint alpha ${joint}`,
          );
        };
        const range = h("input", {
          type: "range",
          min: 0,
          max: 0.99,
          step: 0.01,
          value: alpha,
          "aria-label": `Alpha of ${joint}`,
          onchange: () => set(Number(range.value)),
        });
        return h(
          "div",
          { class: "row" },
          h("span", {}, joint),
          range,
          h("output", {}, number(alpha)),
          h(
            "button",
            { type: "button", class: "quiet", "aria-label": `Remove the alpha of ${joint}`, onclick: () => set(null) },
            "Remove",
          ),
        );
      }),
    );
  const select = h(
    "select",
    { "aria-label": "Joint with an alpha of its own" },
    ...joints.map(({ name }) => h("option", { value: name }, name)),
  );
  store.subscribe((changed) => {
    if (changed.has("jointAlpha")) fill();
    if (changed.has("joint") && store.state.joint) select.value = store.state.joint;
  });
  if (store.state.joint) select.value = store.state.joint;
  fill();
  const add = button("Add", () => store.change({ jointAlpha: { ...store.state.jointAlpha, [select.value]: 0.2 } }));
  return section("Alpha around a joint", rows, h("div", { class: "row" }, select, add));
}

const symbols: Record<MapName, string> = { lambda: "λ", kappa: "κ", alpha: "α" };

function brushSection(app: App, brush: Brush): HTMLElement {
  const { store } = app,
    name = "brush-map";
  const choose = (map: MapName | null) => {
    brush.map = app.views.map = map;
    app.views.show(store.state);
    tools.hidden = map === null;
  };
  const radio = (map: MapName | null, label: string) => {
    const id = `brush-${map ?? "off"}`;
    return [
      h("input", { type: "radio", name, id, checked: brush.map === map, onchange: () => choose(map) }),
      h("label", { for: id }, label),
    ];
  };
  const mode = h(
    "select",
    { "aria-label": "Brush", onchange: () => (brush.mode = mode.value as Brush["mode"]) },
    ...(["add", "reduce", "smooth", "erase"] as const).map((value) => h("option", { value }, value)),
  );
  mode.value = brush.mode;
  const range = (what: "size" | "strength", label: string, min: number, max: number, step: number) =>
    h("input", {
      type: "range",
      min,
      max,
      step,
      value: brush[what],
      "aria-label": label,
      oninput: (event: Event) => (brush[what] = Number((event.target as HTMLInputElement).value)),
    });
  const mirror = h("input", {
    type: "checkbox",
    checked: brush.mirror,
    onchange: () => (brush.mirror = mirror.checked),
  });
  const tools = h(
    "div",
    { class: "tools" },
    h("div", { class: "scale", style: `background: ${gradientOf("weight")}` }),
    h("div", { class: "scale-ends" }, h("span", {}, "0"), h("span", {}, "1 as set"), h("span", {}, "2")),
    h("div", { class: "row" }, h("span", {}, "Brush"), mode),
    h("div", { class: "row" }, h("span", {}, "Size"), range("size", "Size of the brush", 0.01, 0.2, 0.005)),
    h("div", { class: "row" }, h("span", {}, "Strength"), range("strength", "Strength of the brush", 0.05, 1, 0.05)),
    h("label", { class: "check" }, mirror, h("span", {}, "Mirror across x")),
    h(
      "div",
      { class: "row" },
      button("Clear map", () => {
        const { [brush.map!]: _, ...others } = store.state.maps;
        store.change({ maps: others });
      }),
      button("Download with maps", () => download(app.bytesWithMaps(), inputName(app))),
    ),
  );
  tools.hidden = brush.map === null;
  return section(
    "Paint maps",
    h(
      "div",
      { class: "segmented", role: "radiogroup", "aria-label": "Map to paint" },
      ...radio(null, "Off"),
      ...mapNames.flatMap((map) => radio(map, symbols[map])),
    ),
    tools,
    h("p", { class: "muted" }, `Maps multiply the sliders and are saved as ${mapNames.map(attributeOf).join(", ")}.`),
  );
}
