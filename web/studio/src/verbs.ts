// What the page makes of the table of verbs: which verbs it has, and how people read their names.
import type { InputRow, OptionRow, VerbRow } from "@pelt/core";
import { mapNames } from "./state/settings.js";

/** The verbs that make a character, a sequence or a report. */
export const makingVerbs = (verbs: readonly VerbRow[]): VerbRow[] =>
  verbs.filter(({ browser, where }) => browser && where === "everywhere");

/** What a verb makes: the kind of its main output; undefined: a report alone. */
export const madeKind = ({ outputs }: VerbRow) =>
  outputs.find(({ name, where }) => name === "output" && where === "everywhere")?.kind;

export const camelCase = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const kebabCase = (name: string) => name.replaceAll("_", "-").replace(/[A-Z]/g, (a) => `-${a.toLowerCase()}`);
export const flagOf = (name: string) => `--${kebabCase(name)}`;

/** Names that say less than people read. */
const labels: Record<string, string> = {
  influences: "Joints per vertex",
  payload: "Storage",
  helpers: "Helper joints",
  virtual: "Virtual joints",
  max_extra_joints: "Most extra joints",
  max_error: "Largest E_RMS",
  skeleton: "Joints and parents",
  lock: "Locked joint",
  fps: "Samples per second",
};

/** "Joints per vertex", "Exclude joints". */
export function labelOf({ name }: { name: string }): string {
  const words = labels[name] ?? name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const headingOf = (group: string) => labelOf({ name: group.replace(/^-+/, "") || "Other options" });

/** Tune has the settings of Direct Delta Mush, for verbs that take no other method by name. */
export const isTuned = ({ options }: VerbRow) =>
  options.some(({ name }) => name === "kappa") && !options.some(({ name }) => name === "method");

const tuned = [
  ...["lambda", "kappa", "alpha", "iterations", "bind", "laplacian", "smoothing", "joint_alpha"],
  ...mapNames.map((map) => `${map}_map`),
];

/** The open character is read, and the clip that is shown is taken. */
export const readsFile = ({ inputs }: VerbRow) => ["character", "any"].includes(inputs[0]?.kind);
export const readsSequence = ({ inputs }: VerbRow) =>
  inputs.some(({ kind, required }) => kind === "sequence" && required);
export const takesClip = (verb: VerbRow) =>
  readsFile(verb) && verb.options.some(({ name }) => name === "clip") && !needs(verb, "handles");
export const needs = ({ inputs }: VerbRow, kind: string) => inputs.some((row) => row.required && row.kind === kind);

/** The options that the form of a verb has: neither those of Tune nor the program's own. */
export function formOptions(verb: VerbRow): OptionRow[] {
  const left = new Set(isTuned(verb) ? tuned : []);
  if (takesClip(verb)) left.add("clip");
  return verb.options.filter(({ name, where }) => where === "everywhere" && !left.has(name));
}

/** The inputs that are chosen as files: all but what is open, dropped or made in Pose. */
export const formFiles = ({ inputs }: VerbRow): InputRow[] =>
  inputs.filter(
    ({ kind, required }, i) =>
      ["clips", "limits"].includes(kind) || (i > 0 && required && ["character", "any"].includes(kind)),
  );

/** On the command line an input is a word, unless the program has a flag of its name. */
export const isFlag = ({ options }: VerbRow, { name }: InputRow) =>
  options.some((row) => row.name === name && row.type === "file");
