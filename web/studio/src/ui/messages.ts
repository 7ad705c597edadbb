import type { App } from "../app.js";
import { h, iconButton } from "./dom.js";

/** One line at the top of the views: what went wrong, or what is going on. */
export function buildMessages(host: HTMLElement, app: App): void {
  const text = h("span", {}),
    close = iconButton("close", "Close the message", () => app.tell(null));
  const box = h("div", { class: "message", role: "alert" }, text, close);
  const busy = h("div", { class: "busy", role: "status" });
  host.append(box, busy);
  let timer = 0;
  const update = () => {
    const { notice } = app;
    box.hidden = notice === null;
    text.textContent = notice?.text ?? "";
    box.dataset.kind = notice?.kind ?? "";
    clearTimeout(timer);
    if (notice?.kind === "info") timer = window.setTimeout(() => app.tell(null), 4000);
  };
  app.on("notice", update);
  app.on("busy", () => {
    busy.hidden = app.busy === null;
    busy.textContent = app.busy === null ? "" : `${app.busy}…`;
  });
  busy.hidden = true;
  update();
}
