// A web server for the pages of tests and benchmarks.
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { web, work } from "./program.mjs";

const types = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".json": "application/json",
  ".glb": "model/gltf-binary",
  ".gltf": "model/gltf+json",
  ".png": "image/png",
  ".wasm": "application/wasm",
};

/** Where a path is: web/ itself, the folder `work` below /files/, any file of this machine below /file/. */
function fileAt(path) {
  if (path.startsWith("/files/")) return join(work, path.slice(7));
  return path.startsWith("/file/") ? path.slice(5) : join(web, path);
}

/** Serves on 127.0.0.1 until `close` is called. */
export async function serve() {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://x").pathname)),
      file = fileAt(path);
    if (path === "/favicon.ico") return void response.writeHead(204).end();
    if (!existsSync(file)) return void response.writeHead(404).end();
    response
      .writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream" })
      .end(readFileSync(file));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: (path) => `http://127.0.0.1:${server.address().port}${path}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
