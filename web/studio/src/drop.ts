import { type App, sentence } from "./app.js";
import { isGlb } from "./file/glb.js";
import { type Named, type Opened, readFiles } from "./file/open.js";
import { isShapeSequence, type Sequence } from "./file/sequences.js";

/** Opens what was dropped or chosen. Errors are told in the page. */
export async function drop(app: App, files: Iterable<File>): Promise<void> {
  const list = [...files];
  if (list.length === 0) return;
  try {
    await take(app, await app.during(`Reading ${list[0].name}`, () => readFiles(list)));
  } catch (error) {
    app.tell(sentence(error));
  }
}

export async function take(app: App, { character, ...opened }: Opened): Promise<void> {
  const shapes = character && !opened.sequence ? await shapesOf(app, character) : undefined,
    sequence = opened.sequence ?? shapes;
  // Example poses of the open character are no other character.
  const examples = shapes && app.loaded && app.loaded.joints.length > 0 && fits(app, shapes);
  if (character && !examples) await app.load(character.bytes, character.name);
  if (!sequence) return;
  app.sequence = sequence;
  app.emit("sequence");
  app.store.change({ activity: "make" });
  app.tell(
    `${sequence.name}: ${sequence.frameCount} frames of ${sequence.vertexCount} vertices. Fit or decompose it.`,
    "info",
  );
}

const fits = (app: App, { vertexCount }: Sequence) => app.loaded!.vertexCount === vertexCount;

/** The animated morph targets of a file as a sequence. */
async function shapesOf(app: App, { name, bytes }: Named): Promise<Sequence | undefined> {
  if (!isGlb(bytes) || !isShapeSequence(bytes)) return undefined;
  return app.engine.sequence(new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
}

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
