import type { InputRow, VerbRow } from "@pelt/core";
import type { App } from "./app.js";
import { stemOf } from "./file/names.js";
import { mapNames } from "./state/settings.js";
import { mushOptions } from "./specs.js";
import { camelCase, flagOf, isFlag, madeKind, readsSequence } from "./verbs.js";

const quoted = (text: string) => (/^[\w./@=:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** Options as the program's flags. */
export function flags(options: Record<string, unknown>): string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const flag = flagOf(name);
    if (value === null || value === undefined || value === false) return [];
    if (value === true) return [flag];
    return (Array.isArray(value) ? value : [value]).flatMap((one) => [flag, quoted(String(one))]);
  });
}

const baseOf = (app: App) => stemOf(app.file?.name ?? "hero.glb");
export const inputName = (app: App) => {
  const painted = mapNames.some((map) => app.store.state.maps[map] !== app.fileMaps[map]);
  return painted ? `${baseOf(app)}_maps.glb` : (app.file?.name ?? "hero.glb");
};

/** What the name of a made file ends with, where that is not the verb. */
const endings: Record<string, string> = {
  mush: "mushed",
  bind: "bound",
  bake: "baked",
  fit: "fitted",
  decompose: "bones",
  pose: "posed",
  pack: "packed",
  deform: "deformed",
};
/** By what is made; a report alone is JSON. */
const extensions: Record<string, string> = { rig: ".peltrig", poses: ".npy", sequence: ".npy", report: ".json" };
export function outputName(app: App, verb: string): string {
  if (verb === "pose" && app.pose.isFree) return `${baseOf(app)}_posed.npy`;
  const base = verb === "decompose" ? stemOf(app.sequence?.name ?? "sequence") : baseOf(app);
  const row = app.table.find(({ name }) => name === verb),
    kind = row ? (madeKind(row) ?? "report") : "character";
  return `${base}_${endings[verb] ?? verb}${extensions[kind] ?? ".glb"}`;
}

/** The command that does what a button does; `files` are the names of inputs that were chosen as files. */
export function commandOf(
  app: App,
  row: VerbRow,
  options: Record<string, unknown>,
  files: Record<string, string> = {},
): string {
  const own = { ...options },
    chosen: string[] = [],
    words = row.options.filter(({ positional }) => positional).map(({ name }) => String(options[name] ?? name));
  for (const { name } of row.options.filter(({ positional }) => positional)) delete own[name];
  row.inputs.forEach((input, i) => {
    const faces = input.kind === "mesh" && readsSequence(row);
    const given = faces ? meshOf(app, input.name) : nameOf(app, input, i, files);
    if (input.kind !== "sequence" || input.required) delete own[camelCase(input.name)];
    if (given) (isFlag(row, input) ? chosen : words).push(...(isFlag(row, input) ? [flagOf(input.name)] : []), given);
  });
  const output = outputName(app, row.name),
    kind = madeKind(row),
    target = kind ? ["-o", quoted(kind === "folder" ? stemOf(output) : output)] : ["--json", ">", quoted(output)];
  return ["pelt", row.name, ...words.map(quoted), ...chosen.map(quoted), ...flags(own), ...target].join(" ");
}

/** The file that an input is on the command line. */
function nameOf(app: App, { name, kind, required }: InputRow, i: number, files: Record<string, string>) {
  if (files[name]) return files[name];
  if (!required) return undefined;
  if (kind === "handles") return "handles.json";
  if (kind === "sequence") return app.sequence?.name ?? `${name === "sequence" ? "sequence" : "examples"}.npy`;
  return i === 0 ? inputName(app) : `${name}.glb`;
}

/** What gives the faces of the dropped sequence: a mesh beside it, or the open character with its rest pose. */
function meshOf({ sequence, loaded, file }: App, input: string): string | undefined {
  if (!sequence) return undefined;
  if (sequence.triangles) return input === "mesh" ? sequence.mesh : undefined;
  return input === "rest" && loaded?.vertexCount === sequence.vertexCount ? file!.name : undefined;
}

export function poseCommand(app: App): string {
  const row = app.table.find(({ name }) => name === "pose"),
    options = app.pose.options();
  return row ? commandOf(app, row, options, options.limits ? { limits: "limits.json" } : {}) : "";
}

/** The settings of Tune as options of a verb. */
export function tunedOptions(app: App): Record<string, unknown> {
  return mushOptions(app.store.state);
}

/** What `pelt` needs to show the same as the page. */
export function sceneCommands(app: App): string[] {
  const { methods, clip } = app.store.state,
    name = quoted(inputName(app));
  const at = clip === null ? ["--bind-pose"] : ["--clip", quoted(clip)];
  const mush = flags(tunedOptions(app));
  return [
    ["pelt mush", name, ...mush, "-o", quoted(outputName(app, "mush"))].join(" "),
    ...methods
      .filter((method) => method !== "result")
      .map((method) => {
        const own = method.includes("dm") ? mush : [];
        return ["pelt deform", name, "--method", method, ...at, ...own, "-o", `${baseOf(app)}_${method}.npy`].join(" ");
      }),
  ];
}
