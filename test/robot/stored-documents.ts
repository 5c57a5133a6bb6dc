import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** The addresses of all documents in an output directory, in the order they are stored. */
export async function storedDocuments(directory: string): Promise<string[]> {
  const files = (await readdir(directory)).filter((file) => file.startsWith('documents-')).sort();
  const urls: string[] = [];
  for (const file of files) {
    const text = gunzipSync(await readFile(join(directory, file))).toString();
    for (const line of text.split('\n'))
      if (line !== '') urls.push(JSON.parse(line).finalUrl ?? JSON.parse(line).url);
  }
  return urls;
}
