import type { App } from "../app.js";
import { methodLabels } from "../state/settings.js";
import { gradientOf } from "../view/ramp.js";
import { checkbox, segmented } from "./controls.js";
import { h, number, refill, section } from "./dom.js";

/** Two to four methods, and how far they are apart. */
export function comparePanel(app: App): HTMLElement[] {
  const { store } = app;
  return [
    methodsSection(app),
    section(
      "Picture",
      segmented(store, "layout", "Layout", [
        ["views", "Views"],
        ["divider", "Divider"],
        ["silhouettes", "Outlines"],
      ]),
      checkbox(store, "heat", "Error as colors", "H"),
    ),
    scaleSection(app),
    momentsSection(app),
  ];
}

/** The methods that can be chosen now. */
export function methodChoices(app: App): [string, string][] {
  return Object.entries(methodLabels).filter(([name]) => name !== "result" || app.result?.comparable);
}

function methodsSection(app: App): HTMLElement {
  const { store } = app,
    rows = h("div", { class: "methods" });
  const set = (methods: string[]) => store.change({ methods });
  const fill = () => {
    const { methods } = store.state;
    refill(
      rows,
      ...methods.map((method, i) => {
        const select = h(
          "select",
          {
            "aria-label": `Method of view ${i + 1}`,
            onchange: () => set(methods.map((old, m) => (m === i ? select.value : old))),
          },
          ...methodChoices(app).map(([value, text]) => h("option", { value }, text)),
        );
        select.value = method;
        const remove = h(
          "button",
          {
            type: "button",
            class: "quiet",
            "aria-label": `Remove view ${i + 1}`,
            disabled: methods.length < 2,
            onclick: () => set(methods.filter((_, m) => m !== i)),
          },
          "Remove",
        );
        return h("div", { class: "row" }, h("span", { class: "badge" }, String(i + 1)), select, remove);
      }),
    );
    add.disabled = methods.length > 3;
  };
  const add = h(
    "button",
    {
      type: "button",
      onclick: () => {
        const { methods } = store.state;
        set([...methods, ["lbs", "dqs", "ddm", "cor", "dm"].find((method) => !methods.includes(method)) ?? "lbs"]);
      },
    },
    "Add a view",
  );
  store.subscribe((changed) => changed.has("methods") && fill());
  app.on("result", fill);
  fill();
  return section("Methods", rows, add, h("p", { class: "muted" }, "Errors are distances from the first view."));
}

function scaleSection(app: App): HTMLElement {
  const { store } = app;
  const ends = h("div", { class: "scale-ends" }),
    numbers = h("table", { class: "numbers" });
  const top = h("input", {
    type: "number",
    min: 0,
    step: "any",
    "aria-label": "Largest error of the scale",
    onchange: () => store.change({ heatTop: top.value === "" ? null : Math.max(0, Number(top.value)) }),
  });
  const update = () => {
    const { views } = app.views,
      { methods, heatTop } = store.state;
    ends.replaceChildren(
      h("span", {}, "0"),
      h("span", {}, number(app.views.heatTop / 2)),
      h("span", {}, number(app.views.heatTop)),
    );
    top.placeholder = number(app.views.errorTop);
    if (document.activeElement !== top) top.value = heatTop === null ? "" : String(heatTop);
    numbers.replaceChildren(
      h(
        "thead",
        {},
        h("tr", {}, ...["View", "RMS now", "Largest now", "Largest in clip"].map((t) => h("th", { scope: "col" }, t))),
      ),
      h(
        "tbody",
        {},
        ...views.slice(1).map((view, i) => {
          const curve = app.curves?.curves[i];
          return h(
            "tr",
            {},
            h("th", { scope: "row" }, `${i + 2} ${methods[i + 1] ?? ""}`),
            h("td", {}, number(view.rms)),
            h("td", {}, number(view.max)),
            h("td", {}, curve ? number(Math.max(...curve.max)) : "…"),
          );
        }),
      ),
    );
  };
  app.on("frame", update);
  app.on("curves", update);
  store.subscribe((changed) => (changed.has("heatTop") || changed.has("methods")) && update());
  update();
  return section(
    "Error, in the file's units",
    h("div", {
      class: "scale",
      style: `background: ${gradientOf("error")}`,
      role: "img",
      "aria-label": "Scale of errors",
    }),
    ends,
    h("label", { class: "row" }, h("span", {}, "End of scale"), top),
    numbers,
  );
}

/** The moments at which the methods differ most, at least a third of a second apart. */
function momentsSection(app: App): HTMLElement {
  const list = h("div", { class: "moments" });
  const update = () => {
    const { curves } = app;
    list.replaceChildren(
      ...(curves
        ? worst(
            curves.times,
            curves.curves.map((curve) => curve.max),
          ).map(([time, error]) =>
            h(
              "button",
              { type: "button", onclick: () => app.store.change({ time, playing: false }) },
              h("span", {}, `${(time - app.range[0]).toFixed(2)} s`),
              h("small", {}, number(error)),
            ),
          )
        : [h("p", { class: "muted" }, "Measuring the clip…")]),
    );
  };
  app.on("curves", update);
  update();
  return section("Worst moments", list);
}

function worst(times: Float64Array, errors: Float32Array[]): [number, number][] {
  const largest = [...times].map((time, i): [number, number] => [time, Math.max(0, ...errors.map((e) => e[i]))]);
  const chosen: [number, number][] = [];
  for (const moment of largest.sort((a, b) => b[1] - a[1])) {
    if (chosen.length === 5) break;
    if (moment[1] > 0 && chosen.every(([time]) => Math.abs(time - moment[0]) > 1 / 3)) chosen.push(moment);
  }
  return chosen;
}
