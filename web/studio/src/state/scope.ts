let current: (() => void)[] | null = null;

/** Runs `work`; what it subscribes to ends when the returned function is called. */
export function scoped(work: () => void): () => void {
  const outer = current,
    ends: (() => void)[] = [];
  current = ends;
  try {
    work();
  } finally {
    current = outer;
  }
  return () => ends.splice(0).forEach((end) => end());
}

/** Ends `end` with the scope that is being built, if any. */
export function own(end: () => void): () => void {
  current?.push(end);
  return end;
}
