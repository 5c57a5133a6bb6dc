import { createHash } from 'node:crypto';
import { NearIndex } from './near-index.ts';

/** What the choice among documents needs to know about one. */
export interface CataloguedDocument {
  url: string;
  fetchedAt: number;
  words: number;
  exact: string;
  near: bigint;
}

export interface CorpusChoice {
  /** Which versions of a page make the corpus. */
  versions: 'latest' | 'all';
  /** Whether to keep all copies and near copies of a text. */
  duplicates: boolean;
}

/** SimHash says little about short texts. */
const fewestWords = 40;
/** Bytes of a document: address, exact and near fingerprint, time, length of the address, words, whether it is written. */
export const entryBytes = 40;
const field = { url: 0, exact: 8, near: 16, fetchedAt: 24, length: 32, words: 34, written: 38 } as const;

/**
 * The documents of an export, in the order in which they were stored. Which of them make the corpus depends only on the set, not on the
 * order: equal and nearly equal texts form groups (copies of copies belong to the same group), and of each group the page with the
 * shortest address stays.
 */
export class Catalogue {
  #bytes: Buffer;
  #size: number;
  readonly #choice: CorpusChoice;
  /** Groups of the documents so far, for a first answer. */
  readonly #groups = new Groups();

  constructor(choice: CorpusChoice, bytes: Buffer = Buffer.alloc(0)) {
    this.#choice = choice;
    this.#size = Math.floor(bytes.length / entryBytes);
    this.#bytes = Buffer.alloc(Math.max(1024 * entryBytes, bytes.length));
    bytes.copy(this.#bytes, 0, 0, this.#size * entryBytes);
    for (let id = 0; id < this.#size; id++) this.#groups.add(this.#textOf(id), id);
  }

  get size(): number {
    return this.#size;
  }

  /** The entries from this one on, as a file keeps them. */
  entries(from = 0): Buffer {
    return this.#bytes.subarray(from * entryBytes, this.#size * entryBytes);
  }

  isWritten(id: number): boolean {
    return this.#bytes[id * entryBytes + field.written] === 1;
  }

  setWritten(id: number, written: boolean): void {
    this.#bytes[id * entryBytes + field.written] = Number(written);
  }

  /** Adds a document; true if it should be written now, because no other page has about this text. */
  add(document: CataloguedDocument): boolean {
    const id = this.#size++;
    if (this.#bytes.length < this.#size * entryBytes)
      this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(this.#bytes.length)]);
    const at = id * entryBytes;
    createHash('sha1')
      .update(document.url)
      .digest()
      .copy(this.#bytes, at + field.url, 0, 8);
    Buffer.from(document.exact, 'base64url').copy(this.#bytes, at + field.exact, 0, 8);
    this.#bytes.writeBigUInt64LE(document.near, at + field.near);
    this.#bytes.writeDoubleLE(document.fetchedAt, at + field.fetchedAt);
    this.#bytes.writeUInt16LE(Math.min(0xffff, document.url.length), at + field.length);
    this.#bytes.writeUInt32LE(Math.min(0xffffffff, document.words), at + field.words);
    const like = this.#groups.add(this.#textOf(id), id);
    const isNew = this.#choice.duplicates || like.every((other) => this.#sameUrl(other, id));
    this.setWritten(id, isNew);
    return isNew;
  }

  /** Which documents make the corpus. */
  chosen(): Uint8Array {
    const chosen = new Uint8Array(this.#size);
    const latest = this.#latest();
    const isCandidate = (id: number) => latest === undefined || latest.get(this.#url(id)) === id;
    if (this.#choice.duplicates) return chosen.map((_, id) => Number(isCandidate(id)));
    const groups = new Groups();
    const parents = new Int32Array(this.#size).map((_, id) => id);
    for (let id = 0; id < this.#size; id++) {
      if (!isCandidate(id)) continue;
      for (const other of groups.add(this.#textOf(id), id)) join(parents, other, id);
    }
    const best = new Map<number, number>();
    for (let id = 0; id < this.#size; id++) {
      if (!isCandidate(id)) continue;
      const root = rootOf(parents, id);
      const known = best.get(root);
      if (known === undefined || this.#comesBefore(id, known)) best.set(root, id);
    }
    for (let id = 0; id < this.#size; id++)
      chosen[id] = Number(isCandidate(id) && this.#sameUrl(id, best.get(rootOf(parents, id)) ?? id));
    return chosen;
  }

  /** The latest version of each page; undefined if all versions count. */
  #latest(): Map<bigint, number> | undefined {
    if (this.#choice.versions === 'all') return undefined;
    const latest = new Map<bigint, number>();
    for (let id = 0; id < this.#size; id++) {
      const url = this.#url(id);
      const known = latest.get(url);
      if (known === undefined || this.#fetchedAt(id) >= this.#fetchedAt(known)) latest.set(url, id);
    }
    return latest;
  }

  #comesBefore(one: number, other: number): boolean {
    const lengthOf = (id: number) => this.#bytes.readUInt16LE(id * entryBytes + field.length);
    return (
      lengthOf(one) - lengthOf(other) < 0 ||
      (lengthOf(one) === lengthOf(other) && this.#url(one) < this.#url(other))
    );
  }

  #sameUrl(one: number, other: number): boolean {
    return this.#url(one) === this.#url(other);
  }

  #url(id: number): bigint {
    return this.#bytes.readBigUInt64LE(id * entryBytes + field.url);
  }

  #fetchedAt(id: number): number {
    return this.#bytes.readDoubleLE(id * entryBytes + field.fetchedAt);
  }

  #textOf(id: number): Text {
    const at = id * entryBytes;
    return {
      exact: this.#bytes.readBigUInt64LE(at + field.exact),
      near: this.#bytes.readBigUInt64LE(at + field.near),
      words: this.#bytes.readUInt32LE(at + field.words),
    };
  }
}

interface Text {
  exact: bigint;
  near: bigint;
  words: number;
}

/** Finds earlier texts that are equal or nearly equal. */
class Groups {
  readonly #exact = new Map<bigint, number>();
  readonly #near = new NearIndex();

  /** Adds a text, and returns documents that are like it: an equal one, or else those that are nearly equal. */
  add({ exact, near, words }: Text, id: number): number[] {
    if (words === 0) return [];
    const equal = this.#exact.get(exact);
    if (equal !== undefined) return [equal];
    this.#exact.set(exact, id);
    if (words < fewestWords) return [];
    const found = this.#near.find(near);
    this.#near.add(near, id);
    return found;
  }
}

function rootOf(parents: Int32Array, id: number): number {
  let root = id;
  while (parents[root] !== root) root = parents[root] as number;
  // Shorten the path for the next search.
  for (let at = id; at !== root; ) {
    const next = parents[at] as number;
    parents[at] = root;
    at = next;
  }
  return root;
}

function join(parents: Int32Array, one: number, other: number): void {
  parents[rootOf(parents, other)] = rootOf(parents, one);
}
