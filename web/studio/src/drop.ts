import { type App, sentence } from "./app.js";
import { type Opened, readFiles } from "./file/open.js";
import type { Sequence } from "./file/sequences.js";

/** Opens what was dropped or chosen. Errors are shown in the page. */
export async function drop(app: App, files: Iterable<File>): Promise<void> {
  const list = [...files];
  if (list.length === 0) return;
  try {
    await take(app, await app.during(`Reading ${list[0].name}`, () => readFiles(list)));
  } catch (error) {
    app.tell(sentence(error));
  }
}

export async function take(app: App, { character, mesh, shapes, ...opened }: Opened): Promise<void> {
  if (character) await app.load(character.bytes, character.name);
  if (mesh && !character) {
    await app.load(mesh.bytes, mesh.name);
    app.store.change({ activity: "pose" }); // a mesh without joints does nothing else
  }
  const read = shapes && (await app.engine.sequence(new Blob([shapes.bytes as Uint8Array<ArrayBuffer>]), shapes.name)),
    sequence = opened.sequence ?? read;
  // Example poses of the open character are not opened as another character.
  if (read && !character && !fits(app, read)) await app.load(shapes.bytes, shapes.name);
  if (!sequence) return;
  app.sequence = sequence;
  app.emit("sequence");
  app.store.change({ activity: "make" });
  app.tell(
    `${sequence.name}: ${sequence.frameCount} frames of ${sequence.vertexCount} vertices. Fit or decompose it.`,
    "info",
  );
}

/** Whether the open character could have these shapes. */
const fits = ({ loaded }: App, { vertexCount }: Sequence) =>
  loaded !== null && loaded.joints.length > 0 && loaded.vertexCount === vertexCount;

/** Files dropped anywhere on the page. */
export function listenToDrops(app: App): void {
  addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) document.body.classList.remove("dropping");
  });
  addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    if (event.dataTransfer) void drop(app, event.dataTransfer.files);
  });
}
