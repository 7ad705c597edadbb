import type { App } from "../app.js";
import { h, icon } from "./dom.js";

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
  const update = () => (code.textContent = text());
  app.store.subscribe(update);
  app.on("file", update);
  app.on("sequence", update);
  update();
  const row = h("div", { class: "command" }, code, copy);
  row.addEventListener("refresh", update);
  return row;
}
