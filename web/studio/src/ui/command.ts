import type { App } from "../app.js";
import { h, icon } from "./dom.js";

/** A flag stays on one line with its value. */
function words(line: string): (string | HTMLElement)[] {
  const groups = line.match(/--?[\w-]+ (?:'[^']*'|[^\s-]\S*)|'[^']*'|\S+/g) ?? [];
  return groups.flatMap((group, i) => [...(i > 0 ? [" "] : []), h("span", {}, group)]);
}

/** A command to copy, kept up to date with the settings. */
export function commandRow(app: App, text: () => string): HTMLElement {
  const code = h("code", { tabindex: "0" });
  const copy = h(
    "button",
    {
      type: "button",
      class: "icon-button",
      "aria-label": "Copy the command",
      title: "Copy the command",
      onclick: async () => {
        await navigator.clipboard.writeText(text());
        app.tell("Copied.", "info");
      },
    },
    icon("copy"),
  );
  const update = () =>
    code.replaceChildren(
      ...text()
        .split("\n")
        .map((line) => h("div", {}, ...words(line))),
    );
  app.store.subscribe(update);
  app.on("file", update);
  app.on("sequence", update);
  app.on("verbs", update);
  update();
  const row = h("div", { class: "command" }, code, copy);
  row.addEventListener("refresh", update);
  return row;
}
