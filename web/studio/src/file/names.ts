/** What a file's name ends with, in lower case: ".glb". */
export const endingOf = (name: string): string => name.slice(name.lastIndexOf(".")).toLowerCase();

/** A file's name without its ending. */
export const stemOf = (name: string): string => name.replace(/\.[^.]*$/, "");
