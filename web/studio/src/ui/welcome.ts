import type { App } from "../app.js";
import { button } from "./controls.js";
import { h } from "./dom.js";

const activities: [string, string][] = [
  ["Look", "Play it, see its bones, find what is wrong with it"],
  ["Compare", "Two to four methods side by side, their difference in numbers"],
  ["Tune", "Smooth the skin with sliders and a brush"],
  ["Pose", "Pull a hand: the body follows"],
  ["Make", "Mush, bind, bake, fit, decompose; download"],
];

/** The text of an empty page. */
export function buildWelcome(host: HTMLElement, app: App, open: () => void, sample: () => void): void {
  const box = h(
    "div",
    { class: "welcome" },
    h(
      "div",
      { class: "drop-here" },
      h("h2", {}, "Drop a character here"),
      h("p", {}, "A .glb, a .gltf with its files, a drawing (.png), or a mesh sequence (.npy .pc2 .mdd .obj)"),
      h("div", { class: "row" }, button("Open a file", open, "primary"), button("Use the built-in figure", sample)),
    ),
    h("ul", {}, ...activities.map(([name, what]) => h("li", {}, h("b", {}, name), h("span", {}, what)))),
    h("p", { class: "muted" }, "Everything is computed in this browser. Nothing is uploaded."),
  );
  host.append(box);
  const update = () => {
    const empty = app.file === null && app.sequence === null;
    box.hidden = !empty || app.busy !== null;
    document.body.classList.toggle("empty", empty);
  };
  app.on("file", update);
  app.on("busy", update);
  app.on("sequence", update);
  update();
}

const steps: [string, string][] = [
  ["look", "Direct Delta Mush: smooth skin without painted weights. Drag to orbit, scroll to zoom."],
  ["compare", "Compare shows it beside linear blend skinning; the keys 2 and 1 switch in place."],
  ["make", "Tune the skin, pull a hand in Pose, download from Make."],
];
const secondsPerStep = 3.4;

/** Ten seconds: three hints, each with the tab that it is about. */
export function guide(host: HTMLElement): void {
  const text = h("span", {}),
    dots = steps.map(() => h("i", {})),
    timers: number[] = [];
  const tab = (step: number) => document.getElementById(`tab-${steps[step][0]}`);
  const end = () => {
    timers.forEach(clearTimeout);
    steps.forEach((_, i) => tab(i)?.classList.remove("pointed"));
    box.remove();
  };
  const show = (step: number) => {
    text.textContent = steps[step][1];
    dots.forEach((dot, i) => dot.classList.toggle("done", i <= step));
    steps.forEach((_, i) => tab(i)?.classList.toggle("pointed", i === step));
  };
  const box = h(
    "div",
    { class: "guide", role: "status" },
    h("span", { class: "dots", "aria-hidden": "true" }, ...dots),
    text,
    button("Skip", end, "quiet"),
  );
  host.append(box);
  show(0);
  steps.forEach((_, i) => i > 0 && timers.push(window.setTimeout(() => show(i), 1000 * secondsPerStep * i)));
  timers.push(window.setTimeout(end, 1000 * secondsPerStep * steps.length));
}
