import type { Blobs } from '../../engine/blobs/blobs.ts';
import { parseJson } from '../../engine/json.ts';
import type { Request } from '../../engine/request/request.ts';
import { sizeOf } from '../../engine/results/job-files.ts';
import { contentOf } from '../../engine/results/stored-files.ts';
import { files, resultFiles } from '../files.ts';
import { toText } from '../formats/text.ts';
import { mostPageBytes, page } from '../page.ts';

/** The full text of a page for search, with words hyphenated across lines joined. */
export async function pageText(blobs: Blobs, request: Request): Promise<string | undefined> {
  const read = await recognised(blobs, request);
  return read?.replaceAll(/(\p{L})[-\u00ad\u2010\u2e17¬]\n(?=\p{Ll})/gu, '$1');
}

async function recognised(blobs: Blobs, { results }: Request): Promise<string | undefined> {
  const find = (name: string) => results.find((file) => file.name === name);
  const model = find(files.page);
  if (model) {
    // A custom stage may have written something else there.
    const parsed = page.safeParse(parseJson(Buffer.from(await contentOf(blobs, model)).toString()));
    if (parsed.success) return toText(parsed.data);
  }
  const plain = find(resultFiles.txt);
  if (plain && sizeOf(plain) > mostPageBytes) return undefined;
  return plain && Buffer.from(await contentOf(blobs, plain)).toString();
}
