declare const process: { versions?: { node?: string } } | undefined;

export const inNode = typeof process !== "undefined" && process.versions?.node !== undefined;

/** A module of Node. Its name is not a literal, so that bundlers for browsers leave it alone. */
export function importOfNode(name: string): Promise<any> {
  return import(/* @vite-ignore */ /* webpackIgnore: true */ name);
}
