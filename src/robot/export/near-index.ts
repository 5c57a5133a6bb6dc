import { nearDistance } from '../text/fingerprint.ts';

const parts = 4;
const keys = 0x10000;
/** Maximum number of texts to compare, because somebody could craft very many that share a part. */
const longestLook = 20_000;

/**
 * Finds texts whose SimHash differs in at most `nearDistance` bits. Two such texts agree in at least one of four parts of 16 bits, so
 * only those with a part in common are compared. Typed arrays take 32 bytes per text.
 */
export class NearIndex {
  #size = 0;
  /** The latest text with each part, and for each text the one before it with the same part. */
  readonly #latest = new Int32Array(parts * keys).fill(-1);
  #before = new Int32Array(parts * 1024);
  #low = new Int32Array(1024);
  #high = new Int32Array(1024);
  #ids = new Int32Array(1024);

  /** The ids of earlier texts that are near. */
  find(near: bigint): number[] {
    const [low, high] = halves(near);
    const found = new Set<number>();
    for (let part = 0; part < parts; part++) {
      let at = this.#latest[keyOf(part, low, high)] as number;
      for (let looked = 0; at >= 0 && looked < longestLook; looked++) {
        const difference = bits((this.#low[at] as number) ^ low) + bits((this.#high[at] as number) ^ high);
        if (difference <= nearDistance) found.add(this.#ids[at] as number);
        at = this.#before[parts * at + part] as number;
      }
    }
    return [...found];
  }

  add(near: bigint, id: number): void {
    const at = this.#size++;
    if (at >= this.#ids.length) this.#grow();
    const [low, high] = halves(near);
    this.#low[at] = low;
    this.#high[at] = high;
    this.#ids[at] = id;
    for (let part = 0; part < parts; part++) {
      const key = keyOf(part, low, high);
      this.#before[parts * at + part] = this.#latest[key] as number;
      this.#latest[key] = at;
    }
  }

  #grow(): void {
    const larger = (array: Int32Array<ArrayBuffer>) => {
      const copy = new Int32Array(2 * array.length);
      copy.set(array);
      return copy;
    };
    this.#before = larger(this.#before);
    this.#low = larger(this.#low);
    this.#high = larger(this.#high);
    this.#ids = larger(this.#ids);
  }
}

function halves(near: bigint): [low: number, high: number] {
  return [Number(near & 0xffffffffn) | 0, Number(near >> 32n) | 0];
}

function keyOf(part: number, low: number, high: number): number {
  const half = part < 2 ? low : high;
  return part * keys + ((part % 2 === 0 ? half : half >>> 16) & 0xffff);
}

function bits(value: number): number {
  let count = value - ((value >>> 1) & 0x55555555);
  count = (count & 0x33333333) + ((count >>> 2) & 0x33333333);
  return Math.imul((count + (count >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
