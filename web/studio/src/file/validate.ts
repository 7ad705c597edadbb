/** The Khronos validator's report, a line for each kind of finding. */
export interface Finding {
  text: string;
  severity: "error" | "warning" | "info";
}

export async function validate(bytes: Uint8Array): Promise<Finding[]> {
  try {
    const { validateBytes } = await import("gltf-validator");
    const report: any = await validateBytes(bytes, { maxIssues: 200 });
    const { numErrors, numWarnings, messages } = report.issues;
    const head: Finding = {
      text: numErrors + numWarnings === 0 ? "Valid glTF." : `${numErrors} errors, ${numWarnings} warnings.`,
      severity: numErrors > 0 ? "error" : numWarnings > 0 ? "warning" : "info",
    };
    const first = messages.filter((m: any) => m.severity <= 1).slice(0, 20);
    return [
      head,
      ...first.map((m: any): Finding => ({
        text: `${m.pointer ?? ""} ${m.message}`.trim(),
        severity: m.severity === 0 ? "error" : "warning",
      })),
    ];
  } catch (error) {
    return [{ text: String(error instanceof Error ? error.message : error), severity: "error" }];
  }
}
