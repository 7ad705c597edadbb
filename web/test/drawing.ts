import { crc32, deflateSync } from "node:zlib";

/** A ring, as a .png with transparency, or in black on white. */
export function drawing(size = 96, opaque = false): Uint8Array {
  const row = 1 + 4 * size,
    pixels = Buffer.alloc(row * size);
  for (let y = 0; y < size; ++y)
    for (let x = 0; x < size; ++x) {
      const r = Math.hypot(x + 0.5 - size / 2, y + 0.5 - size / 2) / size,
        inside = r > 0.15 && r < 0.45;
      pixels.fill(inside ? 0 : 255, y * row + 1 + 4 * x, y * row + 5 + 4 * x);
      pixels[y * row + 4 + 4 * x] = inside || opaque ? 255 : 0;
    }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 6], 8); // 8 bits of red, green, blue and alpha
  const magic = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  return Buffer.concat([
    magic,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(pixels)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Uint8Array): Uint8Array {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]),
    ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}
