import { createHash } from 'node:crypto';

export interface Fingerprint {
  /** Equal for texts that differ in white space, case and punctuation only. */
  exact: string;
  /** 64 bits (SimHash) of which texts that are nearly equal share nearly all: see `distance`. */
  near: bigint;
}

/** Words that are hashed together: shorter ones find more alike, longer ones less. */
const shingle = 3;

/** Depends on the text alone, so that duplicates are the same whatever order documents come in. */
export function fingerprint(text: string): Fingerprint {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const exact = createHash('sha256').update(words.join(' ')).digest('base64url');
  const hashes = words.map(hashOf);
  const votes = new Int32Array(64);
  const count = Math.max(1, hashes.length - shingle + 1);
  const seen = new Set<number>();
  for (let at = 0; at < count && hashes.length > 0; at += 1) {
    let high = 0x811c9dc5;
    let low = 0x9e3779b9;
    for (let index = at; index < Math.min(at + shingle, hashes.length); index += 1) {
      const hash = hashes[index] as number;
      high = mix(high ^ hash);
      low = mix((low + hash) | 0);
    }
    // A menu that repeats a thousand times has one vote.
    const key = (high >>> 0) * 0x200000 + (low >>> 11);
    if (seen.has(key)) continue;
    seen.add(key);
    for (let bit = 0; bit < 32; bit += 1) {
      votes[bit] = (votes[bit] as number) + (((low >>> bit) & 1) === 1 ? 1 : -1);
      votes[32 + bit] = (votes[32 + bit] as number) + (((high >>> bit) & 1) === 1 ? 1 : -1);
    }
  }
  let near = 0n;
  for (let bit = 63; bit >= 0; bit -= 1) near = (near << 1n) | ((votes[bit] as number) > 0 ? 1n : 0n);
  return { exact, near };
}

/** Up to this many different bits, two texts of a paragraph or more are near duplicates. */
export const nearDistance = 3;

/** In how many of the 64 bits two differ. */
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

function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < word.length; index += 1)
    hash = Math.imul(hash ^ word.charCodeAt(index), 0x01000193);
  return mix(hash);
}

function mix(value: number): number {
  let hash = value | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) | 0;
}
