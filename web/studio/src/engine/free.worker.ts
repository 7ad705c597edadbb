/** The free pose: prepares it, which takes a while, and then follows handles, picture after picture. */
import type { Poser } from "@pelt/core";
import { expose, transfer } from "comlink";
import { Characters } from "./characters.js";
import { Normals } from "./normals.js";
import type { FreePose, FreeRequest } from "./protocol.js";

export class FreePoser {
  private readonly characters = new Characters();
  private poser: Poser | undefined;
  private normals: Normals | undefined;

  async load(bytes: Blob, name: string): Promise<void> {
    this.poser = undefined; // freed with its character
    await this.characters.load(bytes, name, () => undefined);
    this.normals = undefined;
  }

  /** Everything that does not change while handles are dragged: for a mesh without joints, the weights of its handles. */
  prepare({ handles, options }: FreeRequest, onProgress: (fraction: number) => void): void {
    const file = this.characters.opened();
    this.poser?.dispose();
    this.poser = undefined;
    const poser = file.poser({ ...options, free: true, onProgress: (fraction) => onProgress(fraction) });
    try {
      poser.setHandles({ handles });
    } catch (error) {
      poser.dispose();
      throw error;
    }
    this.poser = poser;
    if (this.normals) return;
    const rest = new Float32Array(3 * file.vertexCount),
      normals = rest.slice(),
      deformer = file.deformer("lbs");
    deformer.evaluateAt(undefined, 0, rest, normals);
    deformer.dispose();
    this.normals = new Normals(rest, normals, file.triangles());
  }

  /** Goes on from the last pose towards where the handles are now. */
  pose(handles: Record<string, unknown>[], iterations: number): FreePose {
    const poser = this.poser!;
    poser.setHandles({ handles });
    poser.step(iterations);
    const positions = poser.positions(),
      normals = this.normals!.of(positions),
      matrices = poser.matrices(),
      energies = poser.energies();
    return transfer(
      { positions, normals, matrices, energies },
      [positions, normals, matrices, energies].map(({ buffer }) => buffer as ArrayBuffer),
    );
  }
}

expose(new FreePoser());
