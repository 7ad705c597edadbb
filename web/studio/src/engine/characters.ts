import type { Character, Pelt, VerbRow } from "@pelt/core";
import type { Loaded, MethodSpec, Moment } from "./protocol.js";
import { startPelt } from "./start.js";

/** The open file of a worker and what was made from it, read from files that the page only points to. */
export class Characters {
  file: Character | undefined;
  result: Character | undefined;
  private readonly pelt: Promise<Pelt> = startPelt();

  /** Opens a file; what is open stays if it cannot be read. `look` sees it first. */
  async load<T>(bytes: Blob, name: string, look: (character: Character) => T): Promise<T> {
    const character = await this.read(bytes, name);
    let seen: T;
    try {
      seen = look(character);
    } catch (error) {
      character.dispose();
      throw error;
    }
    this.file?.dispose();
    this.dropResult();
    this.file = character;
    return seen;
  }

  /** False if what was made has other vertices or other clips than the open file: then it is not kept. */
  async setResult(bytes: Blob, name: string): Promise<boolean> {
    this.dropResult();
    const character = await this.read(bytes, name);
    const { file } = this,
      has = ({ name }: { name: string }) => character.clips.some((clip) => clip.name === name);
    if (character.vertexCount === file?.vertexCount && file.clips.every(has)) this.result = character;
    else character.dispose();
    return this.result !== undefined;
  }

  dropResult(): void {
    this.result?.dispose();
    this.result = undefined;
  }

  opened(): Character {
    if (!this.file) throw new Error("no file is open");
    return this.file;
  }

  /** The character that a method belongs to. */
  ownerOf(spec: MethodSpec): Character {
    if (spec.method !== "result") return this.opened();
    if (!this.result) throw new Error("nothing has been made yet; run a verb in Make first");
    return this.result;
  }

  async verbs(): Promise<VerbRow[]> {
    return (await this.pelt).verbs().verbs;
  }

  async sample(name: string): Promise<Uint8Array> {
    const character = (await this.pelt).sample(name, { skin: "smooth" });
    try {
      return character.bytes();
    } finally {
      character.dispose();
    }
  }

  /** A character that the caller disposes of. */
  async read(bytes: Blob, name: string): Promise<Character> {
    return (await this.pelt).loadCharacter(new Uint8Array(await bytes.arrayBuffer()), { name });
  }
}

export function describe(character: Character): Loaded {
  return {
    info: character.info(),
    vertexCount: character.vertexCount,
    positions: character.positions(),
    triangles: character.triangles(),
    joints: [...character.joints],
    clips: [...character.clips],
    rangeSeconds: character.joints.length > 0 ? (character.clipTimes("@range", 30).at(-1) ?? 0) : 0,
    weights: character.weights(),
  };
}

/** What goes to another thread without being copied. */
export const buffersOf = (values: unknown[]): ArrayBuffer[] =>
  values.filter((value) => ArrayBuffer.isView(value)).map(({ buffer }) => buffer as ArrayBuffer);

export const clipOf = ({ clip }: Moment): string | undefined => clip ?? undefined;

/** What was made is shown as it stores itself. */
export function ownSpec(spec: MethodSpec): MethodSpec {
  return spec.method === "result" ? { method: String(spec.options.stored ?? "lbs"), options: {} } : spec;
}
