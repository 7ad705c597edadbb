import type { Character, Deformer } from "@pelt/core";
import type { MethodSpec } from "./protocol.js";

const most = 6;

/** Prepared methods of a character, the latest few. */
export class Deformers {
  private readonly prepared = new Map<string, Deformer>();

  constructor(private readonly character: Character) {}

  get(spec: MethodSpec): Deformer {
    const key = JSON.stringify(spec);
    const known = this.prepared.get(key);
    if (known) {
      this.prepared.delete(key);
      this.prepared.set(key, known);
      return known;
    }
    const deformer = this.character.deformer(spec.method, spec.options);
    this.prepared.set(key, deformer);
    const [oldest] = this.prepared.keys();
    if (this.prepared.size > most) {
      this.prepared.get(oldest)!.dispose();
      this.prepared.delete(oldest);
    }
    return deformer;
  }
}
