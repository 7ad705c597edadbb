// The controls of a verb, made from its rows in the table.
import type { InputRow, OptionRow, VerbRow } from "@pelt/core";
import type { App } from "../app.js";
import { camelCase, formFiles, formOptions, headingOf, labelOf } from "../verbs.js";
import { h } from "./dom.js";

/** What the controls say. */
export interface FormValues {
  options: Record<string, unknown>;
  /** Names of the files that were chosen for inputs. */
  files: Record<string, string>;
}

/** Common options are open, groups of others are folded. */
export function verbControls(app: App, verb: VerbRow, values: FormValues, changed: () => void): HTMLElement[] {
  const groups = new Map<string, HTMLElement[]>();
  const add = (group: string, row: HTMLElement) => groups.set(group, [...(groups.get(group) ?? []), row]);
  for (const option of formOptions(verb))
    add(option.positional ? common : option.group, optionRow(app, option, values, changed));
  for (const input of formFiles(verb)) add(input.required ? common : "Files", fileRow(input, values, changed));
  const open = groups.get(common) ?? [];
  groups.delete(common);
  return [
    ...open,
    ...[...groups].map(([group, rows]) => h("details", {}, h("summary", {}, headingOf(group)), ...rows)),
  ];
}

const common = "Common options";

function optionRow(app: App, option: OptionRow, values: FormValues, changed: () => void): HTMLElement {
  const name = camelCase(option.name);
  const set = (value: unknown) => {
    if (value === "" || value === undefined || value === false) delete values.options[name];
    else values.options[name] = value;
    changed();
  };
  if (option.type === "flag") return checkRow(option, set);
  const choices = choicesOf(app, option);
  if (!choices) return labeled(option, textInput(app, option, set));
  const given = option.positional && option.default === null ? choices : [["", defaultOf(option)], ...choices];
  if (given === choices) values.options[name] = choices[0][0];
  const select = h(
    "select",
    { "aria-label": labelOf(option), onchange: () => set(select.value) },
    ...given.map(([value, text]) => h("option", { value }, text)),
  );
  return labeled(option, select);
}

const labeled = (row: { name: string; help: string }, control: HTMLElement) =>
  h("label", { class: "row", title: row.help }, h("span", {}, labelOf(row)), control);

function checkRow(option: OptionRow, set: (value: unknown) => void): HTMLElement {
  const input = h("input", { type: "checkbox", onchange: () => set(input.checked) });
  return h("label", { class: "check", title: option.help }, input, h("span", {}, labelOf(option)));
}

const defaultOf = ({ default: value, unit }: OptionRow) =>
  value === null ? "auto" : [value, unit].filter(Boolean).join(" ");

/** Values and how they are shown; undefined: any text or number. */
function choicesOf(app: App, { type, choices, many, default: own, values }: OptionRow): string[][] | undefined {
  const methods = app.table
    .find(({ name }) => name === "deform")
    ?.options.find(({ name }) => name === "method")?.choices;
  const words =
    choices ??
    (values.startsWith("METHOD") ? methods : undefined) ??
    (type === "clip" ? ["@range", ...(app.loaded?.clips ?? []).map(({ name }) => name)] : undefined) ??
    (type === "joint" && !many ? app.loaded?.joints.map(({ name }) => name) : undefined);
  return words?.filter((word) => word !== own).map((word) => [word, word]);
}

/** A number, a text, or several of them with commas between. */
function textInput(app: App, option: OptionRow, set: (value: unknown) => void): HTMLElement {
  const { type, many, min, max } = option,
    numeric = type === "number" || type === "integer";
  const read = (text: string) => (numeric && text.trim() !== "" ? Number(text) : text.trim());
  const input = h("input", {
    type: numeric && !many ? "number" : "text",
    "aria-label": labelOf(option),
    min,
    max,
    step: type === "number" ? "any" : undefined,
    list: type === "joint" || type === "joints" ? "joint-names" : undefined,
    placeholder: many ? option.values : defaultOf(option),
    onchange: () => {
      const listed = many
        ? input.value
            .split(",")
            .map(read)
            .filter((one) => one !== "")
        : [];
      set(many ? (listed.length > 0 ? listed : undefined) : read(input.value));
    },
  });
  if (type !== "joint" && type !== "joints") return input;
  const names = h(
    "datalist",
    { id: "joint-names" },
    ...(app.loaded?.joints ?? []).map(({ name }) => h("option", { value: name })),
  );
  return h("span", { class: "with-list" }, input, names);
}

/** An input that is chosen as a file: a character, or what JSON holds. */
function fileRow(row: InputRow, values: FormValues, changed: () => void): HTMLElement {
  const json = row.kind === "limits",
    name = camelCase(row.name);
  const input = h("input", {
    type: "file",
    accept: json ? ".json" : ".glb",
    "aria-label": labelOf(row),
    onchange: async () => {
      const file = input.files?.[0];
      delete values.options[name];
      delete values.files[row.name];
      if (file) {
        const bytes = new Uint8Array(await file.arrayBuffer());
        values.options[name] = json ? new TextDecoder().decode(bytes) : bytes;
        values.files[row.name] = file.name;
      }
      changed();
    },
  });
  return labeled(row, input);
}
