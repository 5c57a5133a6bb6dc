import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { DocumentEntry } from '../segments/segment-index.ts';

const [unpack, pack] = [promisify(gunzip), promisify(gzip)];

/** The part `text` or `corpus` of a segment with only some of its documents. */
export async function onlySome(
  content: Buffer,
  part: 'text' | 'corpus',
  documents: readonly DocumentEntry[],
  isWanted: (index: number) => boolean,
): Promise<Buffer> {
  const wanted = documents.map((_, index) => isWanted(index));
  if (wanted.every(Boolean)) return content;
  if (!wanted.some(Boolean)) return Buffer.alloc(0);
  const whole = await unpack(content);
  const kept: Buffer[] = [];
  let from = 0;
  for (const [index, document] of documents.entries()) {
    const to = from + document[part];
    if (wanted[index]) kept.push(whole.subarray(from, to));
    from = to;
  }
  return pack(Buffer.concat(kept), { level: 4 });
}
