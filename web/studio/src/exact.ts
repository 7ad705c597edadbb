import type { Character, Pelt } from "@pelt/core";
import type { App } from "./app.js";
import { startPelt } from "./engine/start.js";
import type { Frame, MethodSpec } from "./engine/protocol.js";

/**
 * The vertices of the current settings, computed at once in the page. What is shown comes from a worker a moment after
 * a change; a script that does not wait for it still gets what it has set. Started by the first use of a script.
 */
export class Exact {
  private pelt: Pelt | null = null;
  private starting: Promise<void> | null = null;
  private readonly opened = new Map<Uint8Array, Character>();

  constructor(private readonly app: App) {}

  start(): Promise<void> {
    return (this.starting ??= startPelt().then((pelt) => void (this.pelt = pelt)));
  }

  /** Brings the views up to date if they are behind. Nothing where time goes on by itself. */
  settle(): void {
    const { app } = this,
      { playing, activity } = app.store.state;
    if (!this.pelt || !app.model || !app.behind || playing || activity === "pose") return;
    app.views.setFrame(this.frame());
  }

  private frame(): Frame {
    const { app } = this,
      { clip, time, methods } = app.store.state,
      bytes = app.bytesWithMaps(),
      current = new Set([bytes]);
    const views = app.specs().map((spec, i) => {
      const made = methods[i] === "result" ? app.result?.bytes : bytes;
      if (!made) return { error: "nothing has been made yet; run a verb in Make first" };
      current.add(made);
      try {
        return this.vertices(this.character(made), spec, clip, time);
      } catch (error) {
        return { error: error instanceof Error ? error.message : String(error) };
      }
    });
    const matrices = this.character(bytes).skinMatrices(clip ?? undefined, time);
    this.forget(current);
    return { matrices, bones: null, views, preparing: false };
  }

  private vertices(character: Character, { method, options }: MethodSpec, clip: string | null, time: number) {
    const count = 3 * character.vertexCount,
      positions = new Float32Array(count),
      normals = new Float32Array(count);
    const stored = method === "result",
      deformer = stored ? character.deformer(String(options.stored), {}) : character.deformer(method, options);
    deformer.evaluateAt(clip ?? undefined, time, positions, normals);
    deformer.dispose();
    return { positions, normals };
  }

  private character(bytes: Uint8Array): Character {
    let character = this.opened.get(bytes);
    if (!character)
      this.opened.set(bytes, (character = this.pelt!.loadCharacter(bytes, { name: this.app.file?.name })));
    return character;
  }

  private forget(current: Set<Uint8Array>): void {
    for (const [bytes, character] of this.opened) {
      if (current.has(bytes)) continue;
      character.dispose();
      this.opened.delete(bytes);
    }
  }
}
