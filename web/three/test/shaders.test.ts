import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scaled } from "./fixtures.js";
import { biped, diagonal, distance, mushed, native, Session, web, work } from "./support.js";

const glslang = "/usr/bin/glslangValidator";

describe("the shaders stand alone", () => {
  let session: Session;
  beforeAll(async () => void (session = await Session.open("webgl")));
  afterAll(() => session?.close());

  for (const language of ["Glsl", "Wgsl"])
    test(`${language}, every form`, async () => {
      for (const variant of ["v0", "v1", "v2", "v3", "v4", "v5", "eddm"]) {
        const file =
          variant === "eddm" ? await scaled() : mushed(biped(), `biped_${variant}.glb`, "--variant", variant);
        await session.load(file);
        await session.page.evaluate(`harness.pose("walk", ${20 / 30})`);
        const { positions } = native(file, "ddm", "walk", 20);
        const result = await session.floats(`import("/three/test/page/raw.js").then((raw) => raw.run${language}())`);
        expect(distance(result, positions) / diagonal(positions), variant).toBeLessThan(1e-4);
      }
    });

  // Debian has no DXC; glslang reads HLSL and makes SPIR-V of it.
  test.skipIf(!existsSync(glslang))("HLSL compiles", () => {
    const file = `${work}/pelt_skin.hlsl`;
    writeFileSync(
      file,
      `${readFileSync(`${web}/shaders/pelt_skin.hlsl`, "utf8")}
cbuffer Settings : register(b0) { int form; };
struct Vertex { float3 position : POSITION; float3 normal : NORMAL; float3 center : TEXCOORD0; int3 row : TEXCOORD1; };
float4 main(Vertex v) : SV_Position {
  float3x4 m = peltSkin(form, v.row.x, v.row.y, v.row.z, v.center, v.position);
  return float4(mul(m, float4(v.position, 1.0)) + 1e-9 * mul(peltNormalMatrix(m, form), v.normal), 1.0);
}`,
    );
    execFileSync(glslang, ["-D", "-V", "-S", "vert", "-e", "main", "-o", `${work}/pelt_skin.spv`, file]);
  });
});
