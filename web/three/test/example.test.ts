import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { biped, mushed, Session } from "./support.js";

test("the example page plays a mushed character, and the console is quiet", async () => {
  const session = await Session.open("bare", `/three/example/index.html?file=/file${mushed(biped(), "biped_v0.glb")}`);
  await session.page.waitForSelector("canvas");
  const seen = new Set<string>();
  let picture = Buffer.alloc(0);
  for (let i = 0; i < 40 && seen.size < 4; ++i) {
    await session.page.waitForTimeout(300);
    picture = await session.page.screenshot();
    seen.add(picture.toString("base64"));
  }
  expect(seen.size).toBeGreaterThan(3); // it moves
  if (process.env.PICTURE) writeFileSync(process.env.PICTURE, picture);
  expect(session.messages.filter((text) => !/GPU stall|GL Driver Message/.test(text))).toEqual([]);
  await session.close();
});
