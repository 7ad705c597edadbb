import { button } from "./controls.js";
import { h } from "./dom.js";

const keys: [string, string][] = [
  ["Space", "play or pause"],
  ["← →", "a frame back or on"],
  ["F", "frame the character or the chosen joint"],
  ["1 – 4", "method: mush, linear blend, dual quaternions, centers of rotation"],
  ["W", "wireframe"],
  ["S", "skeleton"],
  ["N", "names of joints"],
  ["H", "errors as colors"],
  ["P", "save a picture"],
  ["K", "key the pose"],
  ["X Y Z", "held while pulling: along that axis"],
  ["Ctrl Z, Ctrl Y", "undo, redo"],
  ["?", "this list"],
];

export function buildHelp(host: HTMLElement): () => void {
  const dialog = h(
    "dialog",
    { class: "help", "aria-label": "Keys" },
    h("h2", {}, "Keys"),
    h("dl", { class: "facts" }, ...keys.flatMap(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)])),
    h(
      "p",
      { class: "muted" },
      "Pose: click a joint and pull; shift-click the skin for a point, Ctrl-click for a region.",
    ),
    button("Close", () => dialog.close(), "primary"),
  );
  host.append(dialog);
  return () => dialog.showModal();
}
