import { PismakError } from '../../engine/ground/errors.ts';
import { openZip } from '../zip/read-zip.ts';

/** A document of an office program is far below these limits, pictures included. */
const limits = { entries: 20_000, bytes: 2 ** 31 };
const largestPart = 200 << 20;

/** Parts of a ZIP by name, unpacked when asked for; undefined if there is no such part. */
export interface Archive {
  (name: string): Promise<string | undefined>;
  names: string[];
}

export async function openArchive(bytes: Uint8Array): Promise<Archive> {
  const { entries } = await openZip(withoutComment(bytes), limits);
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const part = async (name: string) => {
    const entry = byName.get(name);
    if (entry === undefined) return undefined;
    if (entry.size > largestPart)
      throw new PismakError('invalid-input', `${name} would unpack to ${entry.size} bytes`);
    return new TextDecoder().decode(await entry.content());
  };
  return Object.assign(part, { names: [...byName.keys()] });
}

/** The archive up to the end of its directory. What follows is often truncated or longer than declared, and not needed. */
function withoutComment(bytes: Uint8Array): Buffer {
  const end = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).lastIndexOf('PK\x05\x06');
  if (end < 0 || end + 22 > bytes.length) return Buffer.from(bytes);
  const whole = Buffer.from(bytes.subarray(0, end + 22));
  whole.writeUInt16LE(0, end + 20);
  return whole;
}
