// What is wrong with a file is said in a sentence, and the page goes on.
import { copyFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { biped, hasShared, Session, shared, work } from "./support.js";

let session: Session;
beforeAll(async () => {
  session = await Session.open(biped());
});
afterAll(async () => {
  await session?.close();
});

const find = (folder: string): string[] =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? find(path) : /\.(glb|gltf)$/.test(name) ? [path] : [];
  });

/** Opens a file as a person does; the sentence, or null where it is shown. */
async function opened(path: string): Promise<string | null> {
  const { page } = session;
  await session.drop(path);
  const name = path.split("/").at(-1)!;
  await page.waitForFunction(
    (wanted) =>
      (window as any).studio.state().file === wanted || !document.querySelector<HTMLElement>(".message")!.hidden,
    name,
  );
  const alert = page.locator('.message[data-kind="error"]');
  if (!(await alert.isVisible())) return null;
  const text = await alert.innerText();
  await page.getByRole("button", { name: "Close the message" }).click();
  return text;
}

test("a file of 300 MB that is no character", async () => {
  const path = join(work, "huge.glb");
  writeFileSync(path, Buffer.alloc(300_000_000));
  expect(await opened(path)).toMatch(/huge\.glb/);
  expect((await session.state()).file).toBe("biped.glb");
});

test("a sequence that is cut off", async () => {
  const path = join(work, "cut.npy");
  writeFileSync(
    path,
    "\x93NUMPY\x01\x00\x46\x00{'descr': '<f4', 'fortran_order': False, 'shape': (5, 9, 3), }         \n",
    "latin1",
  );
  expect(await opened(path)).toMatch(/cut\.npy/);
});

describe.skipIf(!hasShared)("the validator's malformed files", () => {
  test("each is shown or refused in a sentence", async () => {
    const files = find(join(shared, "malformed"));
    expect(files.length).toBeGreaterThan(50);
    for (const file of files) {
      const copy = join(work, `malformed_${files.indexOf(file)}${extname(file)}`);
      copyFileSync(file, copy);
      const sentence = await opened(copy);
      if (sentence !== null) expect(sentence, file).toMatch(/^\S+.* .*\w/);
    }
    await session.load(biped(), "biped.glb");
    expect(await session.state()).toMatchObject({
      file: "biped.glb",
      vertices: (await session.positions()).length / 3,
    });
  });
});

test("nothing was written to the console", () => {
  expect(session.messages).toEqual([]);
});
