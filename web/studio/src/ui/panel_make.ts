import type { VerbRow } from "@pelt/core";
import type { App, Result } from "../app.js";
import { commandOf, sceneCommands, tunedOptions } from "../commands.js";
import { isGlb } from "../file/glb.js";
import { stemOf } from "../file/names.js";
import { currentRun, onRun, runVerb } from "../make.js";
import { own } from "../state/scope.js";
import { isTuned, labelOf, makingVerbs, readsSequence, takesClip } from "../verbs.js";
import { commandRow } from "./command.js";
import { button } from "./controls.js";
import { count, download, h, number, section } from "./dom.js";
import { type FormValues, verbControls } from "./verb_form.js";

let chosen = "mush";

/** The verb that the panel shows first. */
export function chooseVerb(name: string): void {
  chosen = name;
}

/** The verbs that write files. */
export function makePanel(app: App): HTMLElement[] {
  const verbs = makingVerbs(app.table),
    form = h("div", {});
  const draw = () => {
    const row = verbs.find(({ name }) => name === chosen);
    form.replaceChildren(...(row ? verbForm(app, row) : []));
  };
  const tabs = h(
    "div",
    { class: "segmented wrap", role: "radiogroup", "aria-label": "What to make" },
    ...verbs.flatMap((verb) => [
      h("input", {
        type: "radio",
        name: "verb",
        id: `verb-${verb.name}`,
        checked: verb.name === chosen,
        onchange: () => {
          chosen = verb.name;
          draw();
        },
      }),
      h("label", { for: `verb-${verb.name}`, title: verb.summary }, labelOf(verb)),
    ]),
  );
  draw();
  return [section("Make", tabs, form), resultSection(app), settingsSection(app)];
}

function verbForm(app: App, verb: VerbRow): HTMLElement[] {
  const values: FormValues = { options: {}, files: {} };
  const options = () => ({
    ...(isTuned(verb) ? tunedOptions(app) : {}),
    ...values.options,
    ...(takesClip(verb) && app.store.state.clip ? { clip: app.store.state.clip } : {}),
  });
  const controls = verbControls(app, verb, values, () => command.dispatchEvent(new Event("refresh")));
  const command = commandRow(app, () => commandOf(app, verb, options(), values.files));
  return [
    h("p", { class: "muted" }, `${verb.summary}.`),
    ...controls,
    ...sequenceNote(app, verb),
    runControls(app, verb, options),
    command,
  ];
}

function sequenceNote(app: App, verb: VerbRow): HTMLElement[] {
  if (!readsSequence(verb)) return [];
  const note = h("p", {});
  const update = () => {
    const { sequence } = app;
    note.textContent = sequence
      ? `${sequence.name}: ${count(sequence.frameCount)} frames of ${count(sequence.vertexCount)} vertices`
      : "No sequence yet: drop one on the page.";
  };
  app.on("sequence", update);
  update();
  return [note];
}

function runControls(app: App, verb: VerbRow, options: () => Record<string, unknown>): HTMLElement {
  const run = button(labelOf(verb), () => void runVerb(app, verb.name, options()), "primary");
  const stop = button("Stop", () => currentRun()?.stop.abort(new DOMException("stopped", "AbortError")));
  const bar = h("progress", { max: 1, "aria-label": "Progress" });
  const stage = h("span", { class: "muted", role: "status" });
  const update = () => {
    const now = currentRun();
    run.disabled = now !== null;
    stop.hidden = bar.hidden = now === null;
    if (now) bar.value = now.fraction;
    stage.textContent = now ? `${now.stage} ${Math.round(100 * now.fraction)} %` : "";
  };
  own(onRun(update));
  update();
  return h("div", { class: "run" }, run, stop, bar, stage);
}

const shownNumbers: [string, string][] = [
  ["vertices", "Vertices"],
  ["bones", "Joints"],
  ["influences", "Joints per vertex"],
  ["helpers", "Helper joints"],
  ["rms", "RMS error"],
  ["max", "Largest error"],
  ["e_rms", "E_RMS"],
  ["expected_error", "RMS of pruning / diagonal"],
];

function resultSection(app: App): HTMLElement {
  const box = h("div", {});
  const update = () => {
    const { result } = app;
    if (!result) return void box.replaceChildren(h("p", { class: "muted" }, "Nothing made yet."));
    const numbers = shownNumbers.flatMap(([key, label]) => {
      const reported = result.report[key],
        value = Array.isArray(reported) ? reported.length : reported;
      return typeof value === "number"
        ? [h("dt", {}, label), h("dd", {}, Number.isInteger(value) ? count(value) : number(value))]
        : [];
    });
    box.replaceChildren(
      h(
        "p",
        { class: "file-line" },
        h("strong", { title: result.name }, result.name),
        h("small", {}, `${count(Math.ceil(result.bytes.length / 1024))} KB`),
      ),
      h("dl", { class: "facts" }, ...numbers),
      ...(result.report.warnings ?? []).map((text: string) => h("p", { class: "warning" }, text)),
      h(
        "div",
        { class: "row" },
        ...downloads(result),
        ...(isGlb(result.bytes)
          ? [
              button(
                "Open",
                () => void app.load(result.bytes, result.name).catch((error) => app.tell(String(error.message))),
              ),
            ]
          : []),
        ...(result.comparable
          ? [
              button("Compare", () =>
                app.store.change({
                  activity: "compare",
                  methods: ["ddm", "result"],
                  heat: true,
                  layout: "views",
                }),
              ),
            ]
          : []),
      ),
    );
  };
  app.on("result", update);
  app.on("file", update);
  update();
  return section("Result", box);
}

/** One button, or one for each level of detail. */
function downloads({ name, bytes, levels }: Result): HTMLElement[] {
  if (!levels) return [button("Download", () => download(bytes, name), "primary")];
  return levels.map((level, i) =>
    button(`Download level ${i + 1}`, () => download(level, `${stemOf(name)}${i + 1}.glb`), "primary"),
  );
}

function settingsSection(app: App): HTMLElement {
  return section(
    "These settings as commands",
    commandRow(app, () => sceneCommands(app).join("\n")),
  );
}
