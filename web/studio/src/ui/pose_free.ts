import { type App, sentence } from "../app.js";
import { make } from "../make.js";
import { segmented, slider } from "./controls.js";
import { h, number, section } from "./dom.js";

/** What the free pose minimizes, and how far it has come. */
export function freeSection(app: App): HTMLElement {
  const { store } = app;
  return section(
    "Free pose",
    segmented(store, "energy", "What stays rigid", [
      ["spokes-and-rims", "Surface"],
      ["tets", "Volume"],
    ]),
    slider(store, "clusters", {
      label: "Stiffness: rotations",
      min: 1,
      max: 500,
      step: 1,
      logarithmic: true,
      automatic: 100,
      live: false,
      hint: "How many rotations the shape has. Few: large pieces stay rigid. Many: it bends everywhere.",
    }),
    extraRow(app),
    energyRow(app),
    ghostRow(app),
  );
}

function extraRow(app: App): HTMLElement {
  const { store } = app,
    value = h("output", { class: "clock" });
  const range = h("input", {
    type: "range",
    min: 0,
    max: 60,
    step: 1,
    "aria-label": "Extra freedom",
    oninput: () => (value.textContent = range.value),
    onchange: () => store.change({ extraWeights: Number(range.value) }),
  });
  const update = () => {
    range.value = value.textContent = String(store.state.extraWeights);
    range.setAttribute("aria-valuetext", `${store.state.extraWeights} weights`);
  };
  store.subscribe((changed) => changed.has("extraWeights") && update());
  update();
  return h(
    "label",
    { class: "row", title: "Additional weights, so that the shape also bends between handles" },
    h("span", {}, "Extra freedom"),
    range,
    value,
  );
}

/** The energy and its course over the last iterations, on a logarithmic scale. */
function energyRow(app: App): HTMLElement {
  const value = h("output", { "aria-label": "Energy" }),
    bar = h("progress", { max: 1, "aria-label": "Preparing the free pose" }),
    svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"),
    line = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
  svg.setAttribute("viewBox", "0 0 100 24");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("class", "course");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", "Course of the energy");
  svg.append(line);
  const update = () => {
    const { energies, free } = app.pose,
      last = energies.at(-1);
    value.textContent = last === undefined ? "–" : number(last);
    line.setAttribute("points", courseOf(energies));
    bar.hidden = free.progress === null;
    if (free.progress) bar.value = free.progress;
    else bar.removeAttribute("value");
  };
  app.on("pose", update);
  update();
  return h("div", { class: "energy" }, h("span", {}, "Energy"), value, svg, bar);
}

function courseOf(energies: readonly number[]): string {
  const tops = energies.map((energy) => Math.log(Math.max(energy, 1e-30))),
    [least, most] = tops.reduce(([a, b], y) => [Math.min(a, y), Math.max(b, y)], [Infinity, -Infinity]);
  const step = 100 / Math.max(tops.length - 1, 1);
  return tops
    .map((y, i) => `${(i * step).toFixed(1)},${(22 - (20 * (y - least)) / (most - least || 1)).toFixed(1)}`)
    .join(" ");
}

/** The same handles with all vertices free, drawn through the pose. */
function ghostRow(app: App): HTMLElement {
  const { store, views } = app;
  const input = h("input", { type: "checkbox", onchange: () => (input.checked ? void show() : views.setGhost(null)) });
  const show = async () => {
    try {
      const options = { output: "sequence", unreduced: true, iterations: 200 };
      const { frames } = await app.during("Computing the full minimum", () => make(app, "pose", options)),
        size = 3 * app.loaded!.vertexCount;
      const frame = Math.round((store.state.time - (store.state.keys[0]?.time ?? 0)) * 30),
        last = frames!.length / size - 1,
        at = Math.min(Math.max(frame, 0), last);
      if (input.checked) views.setGhost(frames!.slice(at * size, (at + 1) * size));
    } catch (error) {
      input.checked = false;
      app.tell(sentence(error));
    }
  };
  store.subscribe((changed) => {
    const kept = ["time", "playing", "camera", "joint", "theme", "divider"];
    if (!input.checked || [...changed].every((key) => kept.includes(key))) return;
    input.checked = false;
    views.setGhost(null);
  });
  return h(
    "label",
    { class: "check", title: "As-rigid-as-possible with every vertex free: slow, to compare with" },
    input,
    h("span", {}, "Ghost: every vertex free"),
  );
}
