import { type App, sentence } from "../app.js";
import { outputName, poseCommand } from "../commands.js";
import { writeNpy } from "../file/sequences.js";
import { make, runVerb } from "../make.js";
import { commandRow } from "./command.js";
import { button, segmented } from "./controls.js";
import { download, h, section } from "./dom.js";
import { freeSection } from "./pose_free.js";
import { handlesSection } from "./pose_handles.js";

/** How a pose is found, handles, pins and keys. */
export function posePanel(app: App): HTMLElement[] {
  const jointed = app.loaded!.joints.length > 0,
    free = freeSection(app),
    start = startSection(app);
  const update = () => (free.hidden = !app.pose.isFree);
  app.store.subscribe((changed) => changed.has("manner") && update());
  update();
  return [
    ...(jointed ? [mannerSection(app)] : []),
    handlesSection(app),
    free,
    ...(jointed ? [start] : []),
    keysSection(app),
    clipSection(app),
  ];
}

function mannerSection(app: App): HTMLElement {
  return section(
    "Manner",
    segmented(app.store, "manner", "Manner of posing", [
      ["bones", "Bones keep their length"],
      ["free", "Free"],
    ]),
  );
}

/** Where a pose starts, and how far joints go. */
function startSection(app: App): HTMLElement {
  const { store } = app;
  const choose = h("select", {
    "aria-label": "Start from",
    onchange: () => store.change({ poseFrom: choose.value === "" ? null : JSON.parse(choose.value) }),
  });
  const limits = button("Joint limits…", () => {
    if (store.state.limits) return store.change({ limits: null });
    const input = h("input", {
      type: "file",
      accept: ".json",
      onchange: () =>
        void input.files?.[0]
          ?.text()
          .then((text) => store.change({ limits: JSON.parse(text) }))
          .catch(() => app.tell(`${input.files![0].name} is not a JSON file with limits of joints; see docs/bake.md.`)),
    });
    input.click();
  });
  const fill = () => {
    const { poseFrom } = store.state,
      moments = [poseFrom, app.pose.before].filter((moment) => moment !== null);
    const options = [...new Set(moments.map((moment) => JSON.stringify(moment)))].map((text) => {
      const { clip, time } = JSON.parse(text) as { clip: string; time: number };
      return h("option", { value: text }, `${clip} at ${time.toFixed(2)} s`);
    });
    choose.replaceChildren(h("option", { value: "" }, "Rest pose"), ...options);
    choose.value = poseFrom ? JSON.stringify(poseFrom) : "";
    limits.hidden = app.pose.isFree; // bones that keep their length have limits
    limits.textContent = store.state.limits ? "Drop limits" : "Joint limits…";
    limits.title = "How far joints bend and twist: the file that pelt pose --limits reads";
  };
  store.subscribe(
    (changed) => ["poseFrom", "limits", "activity", "manner"].some((key) => changed.has(key as never)) && fill(),
  );
  fill();
  return section("Start", h("div", { class: "row" }, choose, limits));
}

function keysSection(app: App): HTMLElement {
  const { store } = app,
    list = h("div", { class: "moments" });
  const fill = () => {
    const { keys } = store.state;
    list.replaceChildren(
      ...keys.map((key) =>
        h(
          "button",
          {
            type: "button",
            "aria-label": `Key at ${key.time.toFixed(2)} s`,
            onclick: () => store.change({ time: key.time, playing: false }),
          },
          `${key.time.toFixed(2)} s`,
        ),
      ),
    );
    remove.disabled = !keys.some((key) => Math.abs(key.time - store.state.time) < 1e-3);
    set.disabled = store.state.handles.length === 0;
  };
  const set = button("Key this pose (K)", () => app.pose.setKey());
  const remove = button("Delete key", () => app.pose.deleteKey());
  store.subscribe((changed) => ["keys", "handles", "time"].some((key) => changed.has(key as never)) && fill());
  fill();
  return section("Keys", list, h("div", { class: "row" }, set, remove));
}

function clipSection(app: App): HTMLElement {
  const { store } = app,
    text = h("p", { class: "muted" });
  const clip = button("Make a clip", () => void runVerb(app, "pose", {}), "primary"),
    frames = button("Save the frames", () => void saveFrames(app), "primary");
  const update = () => {
    const { isFree } = app.pose;
    clip.disabled = frames.disabled = store.state.handles.length === 0;
    clip.hidden = isFree;
    frames.hidden = !isFree;
    text.textContent = isFree
      ? "The vertices of this pose, or of all keys, as a NumPy file that pelt and Blender read."
      : "The keys become a clip of the file: bones keep their lengths, knees and elbows bend their way.";
  };
  store.subscribe((changed) => (changed.has("handles") || changed.has("manner")) && update());
  update();
  return section(
    "Result",
    text,
    h(
      "div",
      { class: "row" },
      clip,
      frames,
      button("Handles file", () =>
        download(new TextEncoder().encode(JSON.stringify(app.pose.file(), null, 1)), "handles.json"),
      ),
    ),
    commandRow(app, () => poseCommand(app)),
  );
}

/** What `pelt pose --free` writes. */
async function saveFrames(app: App): Promise<void> {
  app.tell(null);
  try {
    const { frames } = await app.during("Posing", () => make(app, "pose", { output: "sequence" })),
      size = app.loaded!.vertexCount;
    download(writeNpy(frames!, [frames!.length / (3 * size), size, 3]), outputName(app, "pose"));
  } catch (error) {
    app.tell(sentence(error));
  }
}
