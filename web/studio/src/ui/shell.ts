import type { App } from "../app.js";
import { activities, type Activity } from "../state/settings.js";
import type { Recording } from "../record.js";
import { h, icon, iconButton } from "./dom.js";

const titles: Record<Activity, string> = {
  look: "Look",
  check: "Check",
  compare: "Compare",
  tune: "Tune",
  pose: "Pose",
  make: "Make",
};

/** The frame of the page: bar, canvas, panel, time line. */
export interface Shell {
  stage: HTMLElement;
  panel: HTMLElement;
  below: HTMLElement;
  tabs: HTMLElement;
  bar: HTMLElement;
}

export function buildShell(root: HTMLElement): Shell {
  const stage = h("main", { class: "stage", "aria-label": "Views" });
  const panel = h("aside", { class: "panel", "aria-label": "Settings", tabindex: "-1" });
  const below = h("footer", { class: "below", "aria-label": "Time" });
  const tabs = h("div", { class: "tabs", role: "tablist", "aria-label": "Activities" });
  const bar = h("header", { class: "bar" });
  root.append(bar, stage, panel, below);
  return { stage, panel, below, tabs, bar };
}

export interface ShellActions {
  open(): void;
  picture(): void;
  record(what: Recording): void;
  help(): void;
}

export function fillBar({ bar, tabs, panel }: Shell, app: App, actions: ShellActions): void {
  const { store } = app;
  const buttons = activities.map((activity) =>
    h(
      "button",
      {
        type: "button",
        role: "tab",
        id: `tab-${activity}`,
        "aria-controls": "panel",
        onclick: () => store.change({ activity }),
      },
      titles[activity],
    ),
  );
  panel.id = "panel";
  panel.setAttribute("role", "tabpanel");
  tabs.append(...buttons);
  tabs.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const at = (activities.indexOf(store.state.activity) + step + activities.length) % activities.length;
    store.change({ activity: activities[at] });
    buttons[at].focus();
  });
  const name = h("span", { class: "file-name" });
  const file = h(
    "button",
    { type: "button", class: "file", title: "Open a file", onclick: actions.open },
    icon("open"),
    h("span", { class: "sr" }, "Open a file, "),
    name,
  );
  const undo = iconButton("undo", "Undo (Ctrl+Z)", () => store.undo());
  const redo = iconButton("redo", "Redo (Ctrl+Y)", () => store.redo());
  const theme = iconButton("moon", "Dark or light", () =>
    store.change({ theme: store.state.theme === "dark" ? "light" : "dark" }),
  );
  const record = iconButton("film", "Record the clip as WebM", () => actions.record("clip"));
  const turn = iconButton("turn", "Record a turntable as WebM", () => actions.record("turntable"));
  const picture = iconButton("camera", "Save a picture (P)", actions.picture);
  bar.append(
    h("h1", { class: "brand" }, "Pelt"),
    file,
    tabs,
    h("span", { class: "space" }),
    undo,
    redo,
    picture,
    record,
    turn,
    theme,
    iconButton("help", "Keys and help (?)", actions.help),
  );
  const update = () => {
    const { activity, theme: chosen } = store.state;
    buttons.forEach((button, i) => {
      button.setAttribute("aria-selected", String(activities[i] === activity));
      button.tabIndex = activities[i] === activity ? 0 : -1;
    });
    panel.setAttribute("aria-labelledby", `tab-${activity}`);
    undo.disabled = !store.canUndo;
    redo.disabled = !store.canRedo;
    theme.replaceChildren(icon(chosen === "dark" ? "sun" : "moon"));
  };
  const updateFile = () => {
    name.textContent = app.file?.name ?? "no file";
    document.title = app.file ? `${app.file.name} – Pelt Studio` : "Pelt Studio";
  };
  const updateBusy = () => {
    const { loaded, busy, sequence } = app;
    picture.disabled = turn.disabled = loaded === null || busy !== null;
    record.disabled = picture.disabled || app.range[1] <= app.range[0];
    buttons.forEach((button) => (button.disabled = loaded === null && sequence === null));
  };
  store.subscribe(update);
  store.subscribe((changed) => (changed.has("clip") || changed.has("activity")) && updateBusy());
  app.on("file", updateFile);
  for (const event of ["file", "busy", "sequence"] as const) app.on(event, updateBusy);
  update();
  updateFile();
  updateBusy();
}
