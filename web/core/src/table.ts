/** The table of verbs, as `pelt verbs --json` prints it: those that are everywhere. */
export interface VerbTable {
  verbs: VerbRow[];
}

export interface VerbRow {
  name: string;
  summary: string;
  example: string;
  where: "everywhere" | "program";
  /** Whether this package has it. */
  browser: boolean;
  inputs: InputRow[];
  outputs: OutputRow[];
  options: OptionRow[];
}

export interface InputRow {
  name: string;
  kind: string;
  required: boolean;
  many: boolean;
  help: string;
}

export interface OutputRow {
  name: string;
  kind: string;
  kinds: string[];
  required: boolean;
  where: "everywhere" | "program";
  help: string;
}

export interface OptionRow {
  name: string;
  type: "number" | "integer" | "flag" | "choice" | "text" | "file" | "joint" | "joints" | "clip";
  default: string | number | boolean | null;
  min: number | null;
  max: number | null;
  choices: string[] | null;
  unit: string | null;
  help: string;
  group: string;
  where: "everywhere" | "program";
  many: boolean;
  above_min: boolean;
  below_max: boolean;
  positional: boolean;
  values: string;
}
