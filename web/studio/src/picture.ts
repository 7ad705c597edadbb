import type { App } from "./app.js";

/** What is shown now, as a PNG. */
export function picture(app: App): Uint8Array {
  const { stage } = app.views;
  stage.drawNow();
  const text = atob(stage.canvas.toDataURL("image/png").split(",")[1]);
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}
