import { type App, sentence } from "./app.js";
import { stemOf } from "./file/names.js";
import { type Named, type Opened, readFiles } from "./file/open.js";
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

export async function take(app: App, { character, mesh, shapes, pictures, ...opened }: Opened): Promise<void> {
  if (pictures) return openPictures(app, pictures);
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

/** A flat figure, ready to be dragged. Without transparency its background has the color of the corners. */
async function openPictures(app: App, pictures: Named[]): Promise<void> {
  const picture = pictures.map(({ name, bytes }) => ({ bytes, file: name })),
    cut = (options: object) => app.maker.run("cutout", { picture }, options),
    name = `${stemOf(pictures[0].name)}.glb`;
  let note: string | null = null;
  const { bytes } = await app.during(`Cutting out ${pictures[0].name}`, () =>
    cut({}).catch((error) => {
      if (!/transparen/.test(String(error?.message))) throw error;
      note = `${pictures[0].name} has no transparency: what has the color of its corners was left out.`;
      return cut({ background: "corner" });
    }),
  );
  await app.load(bytes!, name);
  app.store.change({ activity: "pose" });
  app.tell(note, "info");
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
