import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { addressOf } from "../../test/browser.js";
import { Session } from "../../three/test/support.js";
import { sample, web, work } from "./support.js";

const biped = sample("biped", "--resolution=1000");

/** Runs in the page: loads, deforms, mushes, and says what came out. */
const script = (module: string, worker: boolean) => `(async () => {
  const { createPelt } = await ${module};
  const pelt = await createPelt({ worker: ${worker} });
  const bytes = new Uint8Array(await (await fetch("/file${biped}")).arrayBuffer());
  const hero = pelt.loadCharacter(bytes), positions = new Float32Array(3 * hero.vertexCount);
  hero.deformer("ddm").evaluate(hero.skinMatrices("walk", 0.5), positions);
  const stages = new Set();
  const made = await hero.mush({ onProgress: (fraction, stage) => stages.add(stage) });
  return { vertices: hero.vertexCount, finite: positions.every(Number.isFinite), verb: made.report.verb,
           size: made.bytes.length, stages: stages.size };
})()`;

const app = join(work, "app");
let session: Session;
beforeAll(async () => {
  mkdirSync(app, { recursive: true });
  writeFileSync(join(work, "empty.html"), "<!doctype html><title>empty</title>");
  writeFileSync(join(app, "main.js"), `import { createPelt } from "@pelt/core"; window.createPelt = createPelt;`);
  writeFileSync(join(app, "index.html"), `<script type="module" src="./main.js"></script>`);
  await build({
    root: app,
    base: "./",
    logLevel: "silent",
    configFile: false,
    resolve: { alias: { "@pelt/core": join(web, "core/dist/index.js") } },
  });
  session = await Session.open("bare", "/files/core/empty.html");
});
afterAll(() => session?.close());

for (const worker of [false, true]) {
  it(`works in a page as it is published${worker ? ", with a worker" : ""}`, async () => {
    const found = await session.page.evaluate(script(`import("/core/dist/index.js")`, worker));
    expect(found).toMatchObject({ finite: true, verb: "mush" });
    expect((found as any).stages).toBeGreaterThan(0);
  });

  it(`works in what Vite makes of it, with no settings${worker ? ", with a worker" : ""}`, async () => {
    await session.page.goto(await addressOf("/files/core/app/dist/index.html"));
    await session.page.waitForFunction("window.createPelt !== undefined");
    const found = await session.page.evaluate(script("Promise.resolve(window)", worker));
    expect(found).toMatchObject({ finite: true, verb: "mush" });
  });
}
