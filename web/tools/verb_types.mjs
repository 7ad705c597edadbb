// Writes the types of the verbs' methods and options into core/src/verbs.ts, from the table of the program; --check only
// says whether they are up to date. `node tools/verb_types.mjs [--check]`
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "prettier";
import { pelt, web } from "./program.mjs";

const path = join(web, "core/src/verbs.ts");

const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
const pascal = (name) => camel(`_${name}`);

/** What an input is given, by its kind in the table. */
const kinds = {
  character: "CharacterInput",
  any: "CharacterInput | MeshInput | Frames",
  mesh: "CharacterInput | MeshInput",
  sequence: "Float32Array | Frames | CharacterInput",
  clips: "CharacterInput",
  handles: "Handle[] | object",
  limits: "object",
  picture: "Uint8Array",
};
const types = { number: "number", integer: "number", flag: "boolean", text: "string | number", joint: "string" };

const unionOf = (words) => words.map((word) => JSON.stringify(word)).join(" | ");
/** The deformers, which several verbs take. */
const methodsOf = (table) =>
  table.find(({ name }) => name === "deform").options.find(({ name }) => name === "method").choices;
let methodNames = "";

function optionType({ type, choices, many, values }) {
  const union = choices && unionOf(choices),
    words = union === methodNames ? "MethodName" : union;
  const switched = choices?.includes("off") ? " | boolean" : "";
  const one = words ? words + switched : type === "clip" ? "string | number" : (types[type] ?? "string");
  const map = many && values.includes("=") ? ` | Record<string, number>` : "";
  return many ? `${one} | (${one})[]${map}` : one;
}

const inputType = ({ kind, many }) => {
  const one = kinds[kind] ?? "string";
  return many ? `${one} | (${one})[]` : one;
};

const comment = (text) => `/** ${text.replace(/[^.]$/, "$&.").replaceAll("*/", "* /")} */\n`;

/** What stands in the interface of a verb's options. An option and an input may have one name: a method or a sequence. */
function members(verb) {
  const rows = new Map();
  const add = (name, help, type, group) => {
    const known = rows.get(name);
    rows.set(name, known ? { ...known, type: `${known.type} | ${type}` } : { help, type, group });
  };
  for (const row of verb.options)
    if (row.where === "everywhere" && !row.positional) add(row.name, row.help, optionType(row), row.group);
  for (const row of verb.inputs) if (!row.required) add(row.name, row.help, inputType(row));
  for (const row of verb.outputs) {
    if (row.where !== "everywhere") continue;
    if (row.name !== "output") add(row.name, row.help, "boolean");
    else if (row.kinds.length > 1 && row.kind !== "folder")
      add("output", `What to make (default: ${row.kind})`, row.kinds.map((kind) => `"${kind}"`).join(" | "));
  }
  return [...rows].map(([name, { help, type, group }]) => ({
    group,
    text: `${comment(help)}${camel(name)}?: ${type};`,
  }));
}

/** The options that several verbs have alike, under the heading that they have in help. */
function sharedOptions(all) {
  const shared = new Map();
  for (const group of ["Direct Delta Mush", "Clips and frames"]) {
    const having = all.map((rows) => rows.filter((row) => row.group === group).map(({ text }) => text));
    const most = Math.max(...having.map(({ length }) => length));
    const full = having.filter(({ length }) => 2 * length > most);
    const texts = full[0].filter((text) => full.every((one) => one.includes(text)));
    shared.set(`${group.replace(/(?:^| )(\w)/g, (_, letter) => letter.toUpperCase())}Options`, texts);
  }
  return shared;
}

/** The interface of a verb's options: those that it shares, and its own. */
function optionsOf(verb, shared) {
  let rows = members(verb).map(({ text }) => text);
  const bases = ["CallOptions"];
  for (const [name, texts] of shared)
    if (texts.every((text) => rows.includes(text))) {
      bases.push(name);
      rows = rows.filter((text) => !texts.includes(text));
    }
  const head = `/** Options of \`pelt ${verb.name}\`. */\nexport interface ${pascal(verb.name)}Options`;
  return `${head} extends ${bases.join(", ")} {\n${rows.join("\n")}\n}\n`;
}

function resultType({ outputs }) {
  const kind = outputs.find(({ name }) => name === "output")?.kind;
  return { folder: "MadeLevels", poses: "MadeFrames", sequence: "MadeFrames", undefined: "Reported" }[kind] ?? "Made";
}

function method(verb) {
  const others = verb.inputs.slice(1).filter((row) => row.required);
  const words = others.map((row) => `${camel(row.name)}: ${inputType(row)}, `).join("");
  return `${comment(verb.summary)}${camel(verb.name)}(${words}options?: ${pascal(verb.name)}Options): Promise<${resultType(verb)}>;`;
}

/** What @pelt/core writes by hand, since it answers at once. */
const byHand = ["info"];

export async function verbTypes() {
  const table = JSON.parse(pelt("verbs", "--json")).verbs,
    verbs = table.filter(({ where, browser }) => where === "everywhere" && browser);
  methodNames = unionOf(methodsOf(table));
  const shared = sharedOptions(verbs.map(members)),
    methods = verbs.filter(
      ({ name, inputs }) => ["character", "any"].includes(inputs[0]?.kind) && !byHand.includes(name),
    );
  const text = `// Written by tools/verb_types.mjs from the table of verbs: npm run types. Do not edit.
import type { Character } from "./character.js";
import type { CallOptions } from "./instance.js";
import type { Frames, Handle, Made, MadeFrames, MadeLevels, Reported, RestMesh } from "./types.js";

/** A character, or the bytes of one. */
export type CharacterInput = Character | Uint8Array;
export type MeshInput = RestMesh;

/** The deformers. */
export type MethodName = ${methodNames};

/** The verbs of this package. */
export type VerbName = ${verbs.map(({ name }) => `"${name}"`).join(" | ")};
/** The verbs that make something. */
export type MakingVerb = ${verbs
    .filter(({ outputs }) => outputs.length > 0)
    .map(({ name }) => `"${name}"`)
    .join(" | ")};

${[...shared].map(([name, texts]) => `/** What several verbs take. */\nexport interface ${name} {\n${texts.join("\n")}\n}\n`).join("\n")}
${verbs.map((verb) => optionsOf(verb, shared)).join("\n")}
/** The verbs that work on a character. */
export interface CharacterVerbs {
${methods.map(method).join("\n\n")}
}
`;
  return format(text, { parser: "typescript", printWidth: 120 });
}

export const writtenTypes = () => readFileSync(path, "utf8");

if (process.argv[1] === import.meta.filename) {
  const fresh = await verbTypes();
  if (!process.argv.includes("--check")) writeFileSync(path, fresh);
  else if (fresh !== writtenTypes()) {
    console.error("core/src/verbs.ts is out of date: npm run types");
    process.exit(1);
  }
}
