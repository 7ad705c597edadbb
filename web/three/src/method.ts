/**
 * How a mesh is skinned, by the names of `pelt deform --method`: `ddm` is what the file asks for (v0 in Enhanced DDM's
 * form wherever joints scale or shear), `lbs` the plain weights.
 */
export type Method = "ddm" | "ddm-v0" | "ddm-v1" | "ddm-v2" | "ddm-v3" | "ddm-v4" | "ddm-v5" | "eddm" | "lbs";

export const methods: readonly Method[] = [
  "ddm",
  "ddm-v0",
  "ddm-v1",
  "ddm-v2",
  "ddm-v3",
  "ddm-v4",
  "ddm-v5",
  "eddm",
  "lbs",
];

/** The forms by their numbers in the shaders. */
export const Form = { v0: 0, v1: 1, v2: 2, v3: 3, v4: 4, lbs: 5, eddm: 6, plain: 7 } as const;
export type Form = (typeof Form)[keyof typeof Form];

const stored: Record<string, Form> = {
  v0: Form.v0,
  v1: Form.v1,
  v2: Form.v2,
  v3: Form.v3,
  v4: Form.v4,
  v5: Form.lbs,
};

/** The numbers that records have: all (v0, v1), p χ ω ψ (v2, v3), p ω ψ (v4), or ω (v5). Each has those of the next. */
export const Content = { full: 0, centered: 1, weighted: 2, plain: 3 } as const;
export type Content = (typeof Content)[keyof typeof Content];

const contents: Record<string, Content> = {
  v2: Content.centered,
  v3: Content.centered,
  v4: Content.weighted,
  v5: Content.plain,
};

/** What a variant reads, and a method for a file's variant. */
export const contentOf = (variant: string): Content => contents[variant] ?? Content.full;
export const neededBy = (method: Method, variant: string): Content =>
  method === "lbs" ? Content.plain : contentOf(method === "ddm" ? variant : method.slice(4));

/** What a method comes to for a file's variant and a pose. */
export function formOf(method: Method, variant: string, rigid: boolean): Form {
  if (method === "lbs") return Form.plain;
  if (method === "eddm") return Form.eddm;
  if (method !== "ddm") return stored[method.slice(4)];
  return variant === "v0" && !rigid ? Form.eddm : stored[variant];
}

/** Throws where it is none. */
export function checkMethod(method: string): void {
  if (!(methods as readonly string[]).includes(method))
    throw new RangeError(`no method "${method}"; there are ${methods.join(", ")}`);
}
