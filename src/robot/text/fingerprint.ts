import { hash, randomInt } from 'node:crypto';
import { isLetterCode } from './segment/words.ts';

export interface Fingerprint {
  /** Equal for texts that differ only in white space, case and punctuation. */
  exact: string;
  /** A 64-bit SimHash: nearly equal texts differ in few bits, see `distance`. */
  near: bigint;
}

/** Number of words that are hashed together: with fewer, more texts look alike. */
const shingle = 3;

/** Depends only on the text, so that duplicates don't depend on the order of documents. */
export function fingerprint(text: string): Fingerprint {
  const hashes = wordHashes(text.toLowerCase());
  const exact = hash('sha256', hashes, 'base64url');
  const votes = new Votes();
  const count = hashes.length / 2;
  const seen = new SeenPairs(count);
  for (let at = 0; at === 0 || at + shingle <= count; at += 1) {
    if (count === 0) break;
    let high = 0x811c9dc5;
    let low = 0x9e3779b9;
    for (let word = at; word < Math.min(at + shingle, count); word += 1) {
      high = mix(high ^ (hashes[2 * word] as number));
      low = mix((low + (hashes[2 * word + 1] as number)) | 0);
    }
    // A phrase counts once, however often it repeats.
    if (seen.add(high, low >>> 11)) votes.add(low, high);
  }
  return { exact, near: votes.majority() };
}

/** A set of pairs of numbers in one array: a `Set` of numbers beyond 31 bits took half of the fingerprint's time. */
class SeenPairs {
  readonly #pairs: Int32Array;
  readonly #mask: number;
  readonly #shift: number;
  #hasZero = false;

  constructor(count: number) {
    const bits = 32 - Math.clz32(2 * count + 1);
    const places = 2 ** bits;
    this.#mask = places - 1;
    this.#shift = 32 - bits;
    this.#pairs = places <= mostShared ? sharedPairs : new Int32Array(2 * places);
    this.#pairs.fill(0, 0, 2 * places);
  }

  /** Adds a pair; true if it is new. */
  add(one: number, other: number): boolean {
    // An empty place looks like the pair 0, 0.
    if (one === 0 && other === 0) {
      const isNew = !this.#hasZero;
      this.#hasZero = true;
      return isNew;
    }
    const pairs = this.#pairs;
    const first = (Math.imul(one, secret[0]) + Math.imul(other, secret[1])) >>> this.#shift;
    for (let place = first; ; place = (place + 1) & this.#mask) {
      const known = pairs[2 * place] as number;
      const knownOther = pairs[2 * place + 1] as number;
      if (known === one && knownOther === other) return false;
      if (known !== 0 || knownOther !== 0) continue;
      pairs[2 * place] = one;
      pairs[2 * place + 1] = other;
      return true;
    }
  }
}

/** Of this process. Nobody can write a text whose pairs all want the same place. */
const secret = [randomInt(2 ** 31) * 2 + 1, randomInt(2 ** 31) * 2 + 1] as const;

/** Reused for all texts, unless one is very long. */
const mostShared = 1 << 15;
const sharedPairs = new Int32Array(2 * mostShared);

/** The four bits of a number, each in a byte of its own. */
const spread = Int32Array.from(
  { length: 16 },
  (_, bits) => (bits & 1) | ((bits & 2) << 7) | ((bits & 4) << 14) | ((bits & 8) << 21),
);

/** Counts the ones at each of 64 bits, four bits at a time in the bytes of a number: bit by bit took four times as long. */
class Votes {
  readonly #bytes = new Int32Array(16);
  readonly #ones = new Int32Array(64);
  #added = 0;
  #total = 0;

  add(low: number, high: number): void {
    const bytes = this.#bytes;
    for (let four = 0; four < 8; four += 1) {
      bytes[four] = (bytes[four] as number) + (spread[(low >>> (4 * four)) & 15] as number);
      bytes[8 + four] = (bytes[8 + four] as number) + (spread[(high >>> (4 * four)) & 15] as number);
    }
    this.#total += 1;
    if (++this.#added === 255) this.#empty();
  }

  /** Before a byte overflows. */
  #empty(): void {
    for (let bit = 0; bit < 64; bit += 1)
      this.#ones[bit] =
        (this.#ones[bit] as number) + (((this.#bytes[bit >> 2] as number) >>> (8 * (bit & 3))) & 255);
    this.#bytes.fill(0);
    this.#added = 0;
  }

  /** A bit is set if most have it. */
  majority(): bigint {
    this.#empty();
    let low = 0;
    let high = 0;
    for (let bit = 0; bit < 32; bit += 1) {
      if (2 * (this.#ones[bit] as number) > this.#total) low |= 1 << bit;
      if (2 * (this.#ones[32 + bit] as number) > this.#total) high |= 1 << bit;
    }
    return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
  }
}

/** Reused for all texts, because nothing is awaited while it is in use. */
let sharedHashes = new Int32Array(1 << 12);
const mostSharedHashes = 1 << 20;

/** Two hashes of each word: together they tell words apart, and no word is copied. Only valid until the next text. */
function wordHashes(text: string): Int32Array {
  let hashes = sharedHashes;
  let count = 0;
  let first = 0;
  let second = 0;
  let inWord = false;
  for (let index = 0; index <= text.length; index += 1) {
    const code = index < text.length ? text.charCodeAt(index) : 32;
    if (isLetterCode(code) || (code >= 48 && code <= 57)) {
      if (!inWord) {
        first = 0x811c9dc5;
        second = 0x2545f491;
      }
      first = Math.imul(first ^ code, 0x01000193);
      second = Math.imul(second + code, 0x9e3779b1);
      inWord = true;
    } else if (inWord) {
      if (count + 2 > hashes.length) {
        const larger = new Int32Array(2 * hashes.length);
        larger.set(hashes);
        hashes = larger;
      }
      hashes[count] = mix(first);
      hashes[count + 1] = mix(second);
      count += 2;
      inWord = false;
    }
  }
  if (hashes.length <= mostSharedHashes) sharedHashes = hashes;
  return hashes.subarray(0, count);
}

/** Two texts of at least a paragraph are near duplicates if they differ in at most this many bits. */
export const nearDistance = 3;

/** The number of different bits. */
export function distance(one: bigint, other: bigint): number {
  let difference = one ^ other;
  let count = 0;
  while (difference !== 0n) {
    difference &= difference - 1n;
    count += 1;
  }
  return count;
}

/**
 * Four keys of 16 bits: two texts within `nearDistance` share at least one of them, so that they meet in an index of keys.
 */
export function nearKeys(near: bigint): number[] {
  return [0n, 1n, 2n, 3n].map((part) => Number(part) * 0x10000 + Number((near >> (16n * part)) & 0xffffn));
}

function mix(value: number): number {
  let hash = value | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) | 0;
}
