/** Writes ZooKeeper's wire format: big-endian; texts and bytes follow their length. */
export class JuteWriter {
  readonly #parts: Buffer[] = [];

  int(value: number): this {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(value);
    return this.#add(bytes);
  }

  long(value: bigint): this {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64BE(value);
    return this.#add(bytes);
  }

  boolean(value: boolean): this {
    return this.#add(Buffer.from([value ? 1 : 0]));
  }

  bytes(value: Buffer): this {
    return this.int(value.length).#add(value);
  }

  text(value: string): this {
    return this.bytes(Buffer.from(value));
  }

  raw(value: Buffer): this {
    return this.#add(value);
  }

  finish(): Buffer {
    return Buffer.concat(this.#parts);
  }

  #add(bytes: Buffer): this {
    this.#parts.push(bytes);
    return this;
  }
}

/** Reads the same format. Throws beyond the end, as Buffer does. */
export class JuteReader {
  readonly #buffer: Buffer;
  #at = 0;

  constructor(buffer: Buffer) {
    this.#buffer = buffer;
  }

  int(): number {
    this.#at += 4;
    return this.#buffer.readInt32BE(this.#at - 4);
  }

  long(): bigint {
    this.#at += 8;
    return this.#buffer.readBigInt64BE(this.#at - 8);
  }

  boolean(): boolean {
    return this.#buffer.readUInt8(this.#at++) !== 0;
  }

  bytes(): Buffer {
    // A length of -1 means "none".
    const length = Math.max(0, this.int());
    this.#at += length;
    if (this.#at > this.#buffer.length) throw new RangeError('The message is shorter than its length says');
    return this.#buffer.subarray(this.#at - length, this.#at);
  }

  text(): string {
    return this.bytes().toString('utf8');
  }

  texts(): string[] {
    return Array.from({ length: Math.max(0, this.int()) }, () => this.text());
  }

  skip(bytes: number): void {
    this.#at += bytes;
  }
}
