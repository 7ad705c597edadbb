/** The outcome that the program would end with: its exit status, by name. */
export type PeltErrorCode = "system" | "bad_usage" | "bad_input" | "gate";

const codes: Record<number, PeltErrorCode> = { 1: "system", 2: "bad_usage", 3: "bad_input", 4: "gate" };

/** What Pelt refuses: one sentence that says what is wrong, where, and what to do. */
export class PeltError extends Error {
  constructor(
    readonly code: PeltErrorCode,
    message: string,
  ) {
    super(message);
    this.name = "PeltError";
  }

  /** Of a status of the C interface. */
  static of(status: number, message: string): PeltError {
    return new PeltError(codes[status] ?? "system", message);
  }
}

export function abortError(): DOMException {
  return new DOMException("The operation was aborted.", "AbortError");
}
