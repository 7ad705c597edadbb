import type { App } from "../app.js";
import { commandOf, sceneCommands, tunedOptions } from "../commands.js";
import type { MakingVerb } from "../engine/maker.js";
import { currentRun, onRun, runVerb } from "../make.js";
import { own } from "../state/scope.js";
import { commandRow } from "./command.js";
import { button } from "./controls.js";
import { count, download, h, number, section } from "./dom.js";

interface Field {
  name: string;
  label: string;
  /** Choices, or a number where there are none. */
  choices?: [string, string][];
  value: string;
  min?: number;
}

const fields: Record<Exclude<MakingVerb, "pose">, Field[]> = {
  mush: [
    { name: "influences", label: "Joints per vertex", value: "", min: 0 },
    {
      name: "payload",
      label: "Storage",
      choices: [
        ["", "float"],
        ["q16", "16 bit"],
      ],
      value: "",
    },
    {
      name: "variant",
      label: "Variant",
      choices: [["", "v0"], ...["v1", "v2", "v3", "v4", "v5"].map((v): [string, string] => [v, v])],
      value: "",
    },
  ],
  bind: [
    {
      name: "method",
      label: "Method",
      choices: [
        ["", "rigid"],
        ["bbw", "smooth (biharmonic)"],
      ],
      value: "",
    },
    { name: "influences", label: "Joints per vertex", value: "", min: 0 },
  ],
  bake: [
    {
      name: "from",
      label: "From",
      choices: [
        ["", "Direct Delta Mush"],
        ["dqs", "Dual quaternions"],
        ["cor", "Centers of rotation"],
        ["dm", "Delta Mush"],
      ],
      value: "",
    },
    { name: "influences", label: "Joints per vertex", value: "", min: 0 },
    { name: "helpers", label: "Helper joints", value: "", min: 0 },
  ],
  fit: [
    { name: "influences", label: "Joints per vertex", value: "", min: 0 },
    { name: "maxExtraJoints", label: "Most extra joints", value: "", min: 0 },
  ],
  decompose: [
    { name: "bones", label: "Bones", value: "", min: 1 },
    { name: "influences", label: "Joints per vertex", value: "", min: 0 },
    {
      name: "skeleton",
      label: "Hierarchy",
      choices: [
        ["", "none"],
        ["true", "joints and parents"],
      ],
      value: "",
    },
  ],
};
const titles: Record<keyof typeof fields, [string, string]> = {
  mush: ["Mush", "Stores Direct Delta Mush in the file, with plain weights for other viewers."],
  bind: ["Bind", "Computes skin weights for the mesh and its skeleton."],
  bake: ["Bake", "Turns a deformer into plain skin weights that every engine plays."],
  fit: ["Fit", "A skin from example meshes: drop a sequence with one mesh per pose of the clip."],
  decompose: ["Decompose", "Bones and weights from a mesh sequence: drop .npy, .pc2, .mdd, .glb with morph targets or .obj."],
};
let chosen: keyof typeof fields = "mush";

/** The verbs that write files. */
export function makePanel(app: App): HTMLElement[] {
  const form = h("div", {});
  const draw = () => form.replaceChildren(...verbForm(app));
  const tabs = h(
    "div",
    { class: "segmented wrap", role: "radiogroup", "aria-label": "What to make" },
    ...(Object.keys(fields) as (keyof typeof fields)[]).flatMap((verb) => [
      h("input", {
        type: "radio",
        name: "verb",
        id: `verb-${verb}`,
        checked: verb === chosen,
        onchange: () => {
          chosen = verb;
          draw();
        },
      }),
      h("label", { for: `verb-${verb}` }, titles[verb][0]),
    ]),
  );
  draw();
  return [section("Make", tabs, form), resultSection(app), settingsSection(app)];
}

function verbForm(app: App): HTMLElement[] {
  const verb = chosen,
    values: Record<string, unknown> = {};
  const usesTuning = verb === "mush" || verb === "bake";
  const options = () => ({
    ...(usesTuning ? tunedOptions(app) : {}),
    ...values,
    ...(["bake", "fit"].includes(verb) && app.store.state.clip ? { clip: app.store.state.clip } : {}),
  });
  const command = commandRow(app, () => commandOf(app, verb, options()));
  const rows = fields[verb].map((field) => {
    const read = (text: string) => {
      if (text === "") delete values[field.name];
      else values[field.name] = text === "true" ? true : field.choices ? text : Number(text);
      command.dispatchEvent(new Event("refresh"));
    };
    const input = field.choices
      ? h(
          "select",
          { "aria-label": field.label, onchange: (e: Event) => read((e.target as HTMLSelectElement).value) },
          ...field.choices.map(([value, text]) => h("option", { value }, text)),
        )
      : h("input", {
          type: "number",
          "aria-label": field.label,
          min: field.min,
          placeholder: "auto",
          onchange: (e: Event) => read((e.target as HTMLInputElement).value),
        });
    return h("label", { class: "row" }, h("span", {}, field.label), input);
  });
  return [
    h("p", { class: "muted" }, titles[verb][1]),
    ...rows,
    ...sequenceNote(app, verb),
    runControls(app, verb, options),
    command,
  ];
}

function sequenceNote(app: App, verb: MakingVerb): HTMLElement[] {
  if (verb !== "fit" && verb !== "decompose") return [];
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

function runControls(app: App, verb: MakingVerb, options: () => Record<string, unknown>): HTMLElement {
  const run = button(titles[verb as keyof typeof titles][0], () => void runVerb(app, verb, options()), "primary");
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
      const told = result.report[key],
        value = Array.isArray(told) ? told.length : told;
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
        button("Download", () => download(result.bytes, result.name), "primary"),
        button(
          "Open",
          () => void app.load(result.bytes, result.name).catch((error) => app.tell(String(error.message))),
        ),
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

function settingsSection(app: App): HTMLElement {
  return section(
    "These settings as commands",
    commandRow(app, () => sceneCommands(app).join("\n")),
  );
}
