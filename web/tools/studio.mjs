// `pelt studio`, the server of the page.
import { spawn } from "node:child_process";
import { program } from "./program.mjs";

/** Starts it; `address` is what it prints. */
export async function startStudio(files) {
  const server = spawn(program, ["studio", "--no-open", ...files], { stdio: ["ignore", "pipe", "pipe"] });
  const address = await new Promise((found, fail) => {
    let printed = "";
    server.stdout.on("data", (text) => {
      printed += text;
      const match = /http:\S+/.exec(printed);
      if (match) found(match[0]);
    });
    server.stderr.on("data", (text) => fail(new Error(String(text))));
  });
  return { address, close: () => server.kill("SIGINT") };
}
