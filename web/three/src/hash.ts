/** The hashes of docs/payload.md: 64-bit FNV-1a, kept in two 32-bit halves. */
export class Fnv1a {
  private high = 0xcbf29ce4;
  private low = 0x84222325;

  bytes(data: Uint8Array): this {
    let { high, low } = this;
    for (let i = 0; i < data.length; ++i) {
      low = (low ^ data[i]) >>> 0;
      // times 2^40 + 0x1b3; the products stay below 2^53
      const product = low * 0x1b3;
      high = (((high * 0x1b3 + Math.floor(product / 0x100000000)) % 0x100000000) + ((low << 8) >>> 0)) % 0x100000000;
      low = product % 0x100000000;
    }
    this.high = high;
    this.low = low;
    return this;
  }

  /** Each number as the four bytes of a float32, little-endian. */
  floats(data: ArrayLike<number>): this {
    const values = data instanceof Float32Array ? data.slice() : Float32Array.from(data);
    if (new Uint8Array(Uint16Array.of(1).buffer)[0] === 0) {
      const view = new DataView(values.buffer);
      for (let i = 0; i < values.length; ++i) view.setFloat32(4 * i, values[i], true);
    }
    return this.bytes(new Uint8Array(values.buffer));
  }

  /** 16 lower-case digits in base 16. */
  digits(): string {
    return this.high.toString(16).padStart(8, "0") + this.low.toString(16).padStart(8, "0");
  }
}
