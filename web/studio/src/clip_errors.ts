import { type App, sentence } from "./app.js";
import type { Curves } from "./engine/protocol.js";

/** Errors over the clip of each view against the first: measured whenever methods are compared and nothing moves. */
export class ClipErrors {
  curves: Curves | null = null;
  /** The question that the curves answer, or will answer. */
  private key = "";
  private run = 0;

  constructor(private readonly app: App) {}

  /** For another file. */
  reset(): void {
    this.curves = null;
    this.outdate();
  }

  /** The same question has another answer now. */
  outdate(): void {
    this.key = "";
    ++this.run;
  }

  /** Errors of other methods or of another clip are not shown a moment longer. */
  forgetOld(): void {
    if (this.curves && this.question() !== this.key) this.set(null);
  }

  measure(): void {
    const { app } = this,
      { activity, clip, methods } = app.store.state;
    if (activity !== "compare" || methods.length < 2 || !app.model) return;
    const key = this.question();
    if (key === this.key) return;
    this.key = key;
    this.set(null);
    const run = ++this.run,
      stale = () => run !== this.run || key !== this.question();
    app.engine.curves(clip, app.specs()).then(
      (curves) => {
        if (!curves || stale()) return;
        app.views.setErrorTop(Math.max(...curves.curves.map(({ max }) => max.reduce((a, b) => Math.max(a, b), 0))));
        this.set(curves);
      },
      (error) => stale() || app.tell(sentence(error)),
    );
  }

  private set(curves: Curves | null): void {
    this.curves = curves;
    this.app.emit("curves");
  }

  private question(): string {
    const { app } = this;
    return JSON.stringify([app.store.state.clip, app.specs(), app.result?.name]);
  }
}
