import type { App } from "../app.js";
import { stepFrames, togglePlay } from "./timeline.js";

const byNumber = ["ddm", "lbs", "dqs", "cor"];

export interface KeyActions {
  picture(): void;
  help(): void;
  axis(axis: "x" | "y" | "z" | null): void;
}

/** Keys for the whole page; a control that has the focus keeps those it needs itself. */
export function listenToKeys(app: App, actions: KeyActions): void {
  const { store } = app;
  const plain: Record<string, () => void> = {
    " ": () => togglePlay(app),
    ArrowLeft: () => stepFrames(app, -1),
    ArrowRight: () => stepFrames(app, 1),
    f: () => app.views.stage.frame(app.boxShown(), false),
    w: () => store.change({ wireframe: !store.state.wireframe }),
    s: () => store.change({ skeleton: !store.state.skeleton }),
    n: () => store.change({ names: !store.state.names, skeleton: true }),
    h: () => store.change({ heat: !store.state.heat }),
    p: actions.picture,
    k: () => store.state.activity === "pose" && app.pose.setKey(),
    "?": actions.help,
    ...Object.fromEntries(
      byNumber.map((method, i) => [
        String(i + 1),
        () => store.change({ methods: [method, ...store.state.methods.slice(1)] }),
      ]),
    ),
  };
  addEventListener("keydown", (event) => {
    const letter = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (letter === "Enter" && isText(event.target)) return (event.target as HTMLInputElement).blur(); // keys work again
    if (event.ctrlKey || event.metaKey) {
      if (isText(event.target)) return;
      if (letter === "z") event.shiftKey ? store.redo() : store.undo();
      else if (letter === "y") store.redo();
      else return;
      return event.preventDefault();
    }
    if (event.altKey || !app.model || document.querySelector("dialog[open]") || needsKey(event.target, letter)) return;
    if ("xyz".includes(letter)) actions.axis(letter as "x" | "y" | "z");
    if (!plain[letter]) return;
    plain[letter]();
    event.preventDefault();
  });
  addEventListener("keyup", (event) => {
    if ("xyz".includes(event.key.toLowerCase())) actions.axis(null);
  });
}

function isText(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement && ["text", "search", "number"].includes(target.type);
}

function needsKey(target: EventTarget | null, key: string): boolean {
  if (isText(target) || target instanceof HTMLSelectElement) return true;
  const arrows = key.startsWith("Arrow");
  if (target instanceof HTMLInputElement) return arrows || (key === " " && target.type !== "range");
  return target instanceof HTMLButtonElement && key === " ";
}
