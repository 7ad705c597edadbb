// One sentence says what is wrong with a file, and the page goes on.
import { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { createPelt } from "@pelt/core";
import { openFiles } from "../src/file/open.js";
import { biped, hasShared, openStudio, shared, work } from "./support.js";

const session = openStudio(() => [biped()]);

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

test("a file of 100 MB that is not a character", async () => {
  const path = join(work, "huge.glb");
  writeFileSync(path, Buffer.alloc(100_000_000));
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
  const files = hasShared ? find(join(shared, "malformed")) : [];

  test("each is read or refused in a sentence", async () => {
    expect(files.length).toBeGreaterThan(50);
    const pelt = await createPelt();
    const read = async (file: string) => {
      const name = basename(file),
        { character, shapes } = await openFiles([{ name, bytes: new Uint8Array(readFileSync(file)) }]);
      pelt.loadCharacter((character ?? shapes)!.bytes, { name }).dispose();
    };
    for (const file of files) {
      const sentence: string = await read(file).then(
        () => "",
        (error) => error.message,
      );
      if (sentence !== "") expect(sentence, file).toMatch(/^\S+.* .*\w/);
    }
    pelt.dispose();
  });

  test("some of each format are shown or refused in the page, which goes on", async () => {
    for (const format of [".glb", ".gltf"])
      for (const file of files.filter((name) => extname(name) === format).filter((_, i) => i % 12 === 0)) {
        const copy = join(work, `malformed_${files.indexOf(file)}${format}`);
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
