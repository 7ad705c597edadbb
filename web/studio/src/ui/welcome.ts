import type { App } from "../app.js";
import { button } from "./controls.js";
import { h } from "./dom.js";

/** What an empty page says, and ten seconds of what there is to do once a first character plays. */
export function buildWelcome(host: HTMLElement, app: App, open: () => void, sample: () => void): void {
  const box = h(
    "div",
    { class: "welcome" },
    h("h2", {}, "Drop a character here"),
    h("p", {}, "A .glb, a .gltf with its files, or a mesh sequence. Everything is computed here; nothing is uploaded."),
    h("div", { class: "row" }, button("Open a file", open, "primary"), button("Use the built-in figure", sample)),
  );
  host.append(box);
  const update = () => (box.hidden = app.file !== null || app.sequence !== null || app.busy !== null);
  app.on("file", update);
  app.on("busy", update);
  app.on("sequence", update);
  update();
}

const steps: [string, string][] = [
  ["1 / 3", "This is Direct Delta Mush: smooth skin from a rigid bind. Drag to orbit."],
  ["2 / 3", "Compare sets it beside linear blend skinning. Press 2 to switch methods in place."],
  ["3 / 3", "Tune the skin, pull a hand in Pose, and download from Make."],
];

/** Three short hints, three seconds each; any click ends them. */
export function guide(host: HTMLElement): void {
  const text = h("span", {}),
    box = h("div", { class: "guide", role: "status" }, text);
  host.append(box);
  const end = () => box.remove();
  box.addEventListener("click", end);
  steps.forEach(([count, words], i) =>
    setTimeout(() => text.replaceChildren(h("b", {}, count), ` ${words}`), 3400 * i),
  );
  setTimeout(end, 3400 * steps.length);
}
