/** One long verb at a time; ended from outside when it is stopped. */
import type { Made, Options, Report, RestMesh } from "@pelt/core";
import { expose, transfer } from "comlink";
import { startPelt } from "./start.js";

export type MakingVerb = "mush" | "bind" | "bake" | "fit" | "decompose" | "pose";

export interface MakeRequest {
  verb: MakingVerb;
  name: string;
  /** The character, for all verbs but decompose. */
  bytes?: Uint8Array;
  frames?: Float32Array;
  rest?: RestMesh;
  handles?: object;
  options: Record<string, unknown>;
}

export interface MadeFile {
  bytes: Uint8Array;
  report: Report;
}

const ready = startPelt();

async function make(request: MakeRequest, progress: (fraction: number, stage: string) => void): Promise<MadeFile> {
  const pelt = await ready,
    { verb } = request;
  const options: Options = { ...request.options, onProgress: progress };
  let made: Made;
  if (verb === "decompose") {
    made = await pelt.decompose(request.frames!, request.rest!, options);
  } else {
    const hero = pelt.loadCharacter(request.bytes!, { name: request.name });
    try {
      if (verb === "fit") made = await hero.fit(request.frames!, options);
      else if (verb === "pose") made = await hero.pose(request.handles!, options);
      else made = await hero[verb](options);
    } finally {
      hero.dispose();
    }
  }
  return transfer(made, [made.bytes.buffer as ArrayBuffer]);
}

expose({ make });
export type Maker = { make: typeof make };
