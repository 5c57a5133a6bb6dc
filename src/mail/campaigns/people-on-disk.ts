import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PismakError } from '../../engine/ground/errors.ts';

/** Hexadecimal digits of a key; eight of them are four bytes. */
export const keyDigits = 24;
const words = keyDigits / 8;
const keyBytes = words * 4;
const bucketBytes = 4096;
const keysPerBucket = Math.floor(bucketBytes / keyBytes);
/** Enough for five billion people; stops keys chosen to collide. */
const mostBuckets = 2 ** 24;

/**
 * The people who already have a mail of a campaign: an exact set in constant memory, a hash table in a file. It is needed only
 * while this process generates, so it is never synced to disk. An index in the database would be: it is as random as the keys,
 * and each mail would rewrite one of its pages.
 */
export class PeopleOnDisk {
  readonly #file: number;
  /** How many keys each bucket holds; their number is a power of two. */
  #counts: Uint16Array = new Uint16Array(16);
  readonly #bucket = Buffer.alloc(bucketBytes);
  readonly #read = new Uint32Array(this.#bucket.buffer, this.#bucket.byteOffset, bucketBytes / 4);
  readonly #key = new Uint32Array(words);

  constructor(directory = tmpdir()) {
    const path = join(directory, `pismak-people-${randomUUID()}`);
    this.#file = openSync(path, 'wx+', 0o600);
    // Unlinked at once: nobody else can open the file, and nothing is left if this process is killed.
    unlinkSync(path);
  }

  /** False if the key was present. Keys are hashes, so they spread evenly over the buckets. */
  add(key: string): boolean {
    for (let word = 0; word < words; word++)
      this.#key[word] = Number.parseInt(key.slice(word * 8, word * 8 + 8), 16);
    for (;;) {
      const bucket = this.#bucketOf(this.#key[0] ?? 0);
      const count = this.#counts[bucket] ?? 0;
      if (count > 0) this.#load(bucket, count);
      if (this.#isAmong(count)) return false;
      if (count < keysPerBucket) {
        writeSync(this.#file, this.#key, 0, keyBytes, bucket * bucketBytes + count * keyBytes);
        this.#counts[bucket] = count + 1;
        return true;
      }
      this.#double();
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  #bucketOf(firstWord: number): number {
    return (firstWord & (this.#counts.length - 1)) >>> 0;
  }

  #load(bucket: number, count: number): void {
    const wanted = count * keyBytes;
    const read = readSync(this.#file, this.#bucket, 0, wanted, bucket * bucketBytes);
    if (read < wanted) throw new Error(`a temporary file lost ${wanted - read} bytes`);
  }

  #isAmong(count: number): boolean {
    const [first, second, third] = this.#key;
    for (let at = 0; at < count * words; at += words)
      if (this.#read[at] === first && this.#read[at + 1] === second && this.#read[at + 2] === third)
        return true;
    return false;
  }

  /** Splits each bucket by one more bit of the key. */
  #double(): void {
    const before = this.#counts;
    if (before.length >= mostBuckets)
      throw new PismakError('invalid-input', 'the audience has too many people for one campaign');
    this.#counts = new Uint16Array(before.length * 2);
    const moved = new Uint32Array(bucketBytes / 4);
    for (const [bucket, count] of before.entries()) {
      if (count === 0) continue;
      this.#load(bucket, count);
      let kept = 0;
      let gone = 0;
      for (let at = 0; at < count * words; at += words) {
        const stays = this.#bucketOf(this.#read[at] ?? 0) === bucket;
        const [into, place] = stays ? [this.#read, kept++] : [moved, gone++];
        for (let word = 0; word < words; word++) into[place * words + word] = this.#read[at + word] ?? 0;
      }
      const other = bucket + before.length;
      writeSync(this.#file, this.#read, 0, kept * keyBytes, bucket * bucketBytes);
      writeSync(this.#file, moved, 0, gone * keyBytes, other * bucketBytes);
      this.#counts[bucket] = kept;
      this.#counts[other] = gone;
    }
  }
}
