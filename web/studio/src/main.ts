import { StudioApi } from "./api.js";
import { App, sentence } from "./app.js";
import { drop, listenToDrops, take } from "./drop.js";
import { stemOf } from "./file/names.js";
import { openFiles } from "./file/open.js";
import { picture } from "./picture.js";
import { record, type Recording } from "./record.js";
import { Keeper } from "./state/keep.js";
import { scoped } from "./state/scope.js";
import { defaultSettings, type Activity } from "./state/settings.js";
import { Store } from "./state/store.js";
import { download, h } from "./ui/dom.js";
import { buildHelp } from "./ui/help.js";
import { listenToKeys } from "./ui/keyboard.js";
import { buildLabels } from "./ui/labels.js";
import { buildMessages } from "./ui/messages.js";
import { checkPanel } from "./ui/panel_check.js";
import { comparePanel } from "./ui/panel_compare.js";
import { lookPanel } from "./ui/panel_look.js";
import { makePanel } from "./ui/panel_make.js";
import { posePanel } from "./ui/panel_pose.js";
import { tunePanel } from "./ui/panel_tune.js";
import { buildPlot } from "./ui/plot.js";
import { Pointer } from "./ui/pointer.js";
import { buildShell, fillBar } from "./ui/shell.js";
import { advance, buildTimeline } from "./ui/timeline.js";
import { buildWelcome, guide } from "./ui/welcome.js";
import { Brush } from "./view/brush.js";
import { Stage } from "./view/stage.js";
import { Views } from "./view/views.js";

declare global {
  interface Window {
    studio: StudioApi;
  }
}

/** Keeps the token of `pelt studio` out of what the browser shows and remembers: from now on a cookie has it. */
function hideToken(): void {
  const address = new URL(location.href);
  for (const secret of ["token", "ticket"]) address.searchParams.delete(secret);
  if (address.href !== location.href) history.replaceState(null, "", address);
}

async function start(): Promise<void> {
  hideToken();
  const shell = buildShell(document.getElementById("app")!);
  const keeper = await Keeper.open(),
    kept = await keeper.restore();
  const store = new Store({ ...defaultSettings(), ...kept?.settings });
  document.documentElement.dataset.theme = store.state.theme;
  const stage = new Stage(shell.stage),
    app = new App(store, keeper, new Views(stage)),
    brush = new Brush();
  stage.onCamera = () =>
    store.change({
      camera: { position: stage.camera.position.toArray(), target: stage.controls.target.toArray() },
    });
  const pointer = new Pointer(app, brush),
    help = buildHelp(document.body);
  const open = () => void chooseFiles(app);
  const savePicture = () => app.file && download(picture(app), `${stemOf(app.file.name)}.png`);
  const saveVideo = (what: Recording) =>
    app
      .during("Recording", () => record(app, what))
      .then(
        (blob) => download(blob, `${stemOf(app.file!.name)}${what === "clip" ? "" : "_turn"}.webm`),
        (error) => app.tell(sentence(error)),
      );
  fillBar(shell, app, { open, picture: savePicture, record: (what) => void saveVideo(what), help });
  buildTimeline(shell.below, app);
  buildPlot(shell.below, app);
  const drawLabels = buildLabels(shell.stage, app);
  buildMessages(shell.stage, app);
  buildWelcome(shell.stage, app, open, () => void openSample(app, shell.stage));
  showPanels(app, shell.panel, brush);
  listenToDrops(app);
  listenToKeys(app, { picture: savePicture, help, axis: (axis) => (pointer.pose.axis = axis) });
  app.views.show(store.state);
  window.studio = new StudioApi(app);
  animate(app, drawLabels);
  if (kept?.file) await app.load(kept.file.bytes, kept.file.name, kept.settings).catch(() => undefined);
  else await openNamed(app);
}

/** The panel of the current activity, built again for each file. */
function showPanels(app: App, host: HTMLElement, brush: Brush): void {
  const panels: Record<Activity, () => HTMLElement[]> = {
    look: () => lookPanel(app),
    check: () => checkPanel(app),
    compare: () => comparePanel(app),
    tune: () => tunePanel(app, brush),
    pose: () => posePanel(app),
    make: () => makePanel(app),
  };
  let end = () => undefined as void;
  const show = () => {
    end();
    end = scoped(() => {
      const { activity } = app.store.state,
        withoutFile = activity === "make" && app.sequence !== null;
      const note = h("p", { class: "muted" }, "Open a character to begin.");
      host.replaceChildren(...(app.loaded || withoutFile ? panels[activity]() : [note]));
    });
  };
  app.store.subscribe((changed) => {
    if (!changed.has("activity")) return;
    const { activity, methods, time, clip } = app.store.state,
      [first, last] = app.range;
    if (activity === "compare" && methods.length < 2 && app.model)
      app.store.change({ methods: [...methods, methods[0] === "lbs" ? "ddm" : "lbs"] });
    if (activity === "pose") {
      app.pose.before = app.loaded?.clips.some(({ name }) => name === clip) ? { clip, time } : null;
      app.store.change({ time: 0, playing: false });
    } else if (time < first || time > last) app.store.change({ time: first });
    show();
  });
  app.on("file", show);
  app.on("sequence", show);
  app.on("verbs", () => app.store.state.activity === "make" && show());
  show();
}

function animate(app: App, drawLabels: () => void): void {
  let last = performance.now();
  const tick = (now: number) => {
    advance(app, (now - last) / 1000);
    last = now;
    app.views.stage.draw();
    drawLabels();
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}

function chooseFiles(app: App): void {
  const input = h("input", {
    type: "file",
    multiple: true,
    accept: ".glb,.gltf,.vrm,.bin,.png,.jpg,.jpeg,.npy,.pc2,.mdd,.obj,.ply,.off",
    onchange: () => void drop(app, input.files ?? []),
  });
  input.click();
}

async function openSample(app: App, host: HTMLElement): Promise<void> {
  try {
    const bytes = await app.during("Making the figure", () => app.engine.sample("biped"));
    await app.load(bytes, "biped.glb");
    guide(host);
  } catch (error) {
    app.tell(sentence(error));
  }
}

/** Files that `pelt studio` was given. */
async function openNamed(app: App): Promise<void> {
  const paths = new URLSearchParams(location.search).getAll("open");
  if (paths.length === 0) return;
  try {
    const files = await Promise.all(
      paths.map(async (path) => {
        const answer = await fetch(path);
        if (!answer.ok) throw new Error(`${path} cannot be fetched (${answer.status}); is pelt studio still running?`);
        return { name: path.split("/").at(-1)!, bytes: new Uint8Array(await answer.arrayBuffer()) };
      }),
    );
    await take(app, await openFiles(files));
  } catch (error) {
    app.tell(sentence(error));
  }
}

void start();
