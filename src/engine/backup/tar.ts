import { PismakError } from '../ground/errors.ts';

/** A file in an archive. Read all of `content`, or none of it, before asking for the next file. */
export interface TarEntry {
  name: string;
  size: number;
  content: AsyncIterable<Uint8Array>;
}

const block = 512;

/** A plain tar archive (ustar, as `tar` reads it) of these files. */
export async function* writeTar(
  entries: AsyncIterable<TarEntry> | Iterable<TarEntry>,
): AsyncGenerator<Uint8Array> {
  for await (const { name, size, content } of entries) {
    yield header(name, size);
    let written = 0;
    for await (const chunk of content) {
      written += chunk.length;
      yield chunk;
    }
    if (written !== size) throw new Error(`${name} has ${written} bytes where ${size} were announced`);
    yield Buffer.alloc(padding(size));
  }
  yield Buffer.alloc(2 * block);
}

/** The regular files of a tar archive. Throws `invalid-input` for truncated or damaged archives and for any other kind of entry. */
export async function* readTar(archive: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const bytes = new ByteReader(archive);
  for (;;) {
    const head = await bytes.take(block);
    if (head.every((byte) => byte === 0)) return;
    const { name, size } = parseHeader(head);
    let consumed = false;
    const content = (async function* () {
      consumed = true;
      yield* bytes.stream(size);
    })();
    yield { name, size, content };
    if (!consumed) for await (const _ of bytes.stream(size));
    await bytes.take(padding(size));
  }
}

function padding(size: number): number {
  return (block - (size % block)) % block;
}

function header(name: string, size: number): Buffer {
  if (Buffer.byteLength(name) > 99) throw new Error(`the name ${name} is too long for a tar archive`);
  const head = Buffer.alloc(block);
  head.write(name, 0);
  head.write('0000600\0', 100);
  head.write('0000000\0', 108);
  head.write('0000000\0', 116);
  if (size < 8 ** 11) head.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  else {
    // From 8 GiB on, the size is a binary number, as in GNU tar.
    head[124] = 0x80;
    head.writeBigUInt64BE(BigInt(size), 128);
  }
  head.write('00000000000\0', 136);
  head.write('0', 156);
  head.write('ustar\x0000', 257, 'latin1');
  head.write(`${checksum(head).toString(8).padStart(6, '0')}\0 `, 148);
  return head;
}

/** The sum of all header bytes, with the checksum field as spaces. */
function checksum(head: Uint8Array): number {
  return head.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 32 : byte), 0);
}

function parseHeader(head: Buffer): { name: string; size: number } {
  const text = (from: number, to: number) => head.toString('utf8', from, to).replace(/\0.*$/s, '');
  const name = text(0, 100);
  if (Number.parseInt(text(148, 156), 8) !== checksum(head)) throw damaged('a header is wrong');
  const type = text(156, 157);
  if ((type !== '0' && type !== '') || text(345, 500) !== '')
    throw damaged(`${JSON.stringify(name)} is not a plain file`);
  const size = head[124] === 0x80 ? Number(head.readBigUInt64BE(128)) : Number.parseInt(text(124, 136), 8);
  if (!Number.isSafeInteger(size) || size < 0) throw damaged(`${JSON.stringify(name)} has no size`);
  return { name, size };
}

function damaged(what: string): PismakError {
  return new PismakError('invalid-input', `the archive is damaged or not a Pismak backup: ${what}`);
}

/** Reads a stream in chunks of the sizes that the caller wants. */
class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async take(count: number): Promise<Buffer> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.stream(count)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  async *stream(count: number): AsyncGenerator<Uint8Array> {
    for (let left = count; left > 0; ) {
      if (this.#rest.length === 0) {
        const next = await this.#source.next();
        if (next.done) throw damaged('it ends too early');
        this.#rest = next.value;
      }
      const chunk = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(chunk.length);
      left -= chunk.length;
      yield chunk;
    }
  }
}
