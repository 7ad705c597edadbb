import type { Mesh, WebGLRenderTarget } from "three";
import type { Renderer } from "./readback.js";
export async function drawNodes(_r: Renderer, _m: Mesh, _w: string, _t: WebGLRenderTarget): Promise<Float32Array> { throw new Error("x"); }
