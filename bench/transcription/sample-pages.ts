import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeSample, type SampleKind } from '../../src/transcription/testing/samples/make-sample.ts';

export interface SamplePage {
  name: string;
  kind: SampleKind;
  path: string;
  image: Buffer;
  truth: string;
}

/** Pages of these kinds in turn, written to the directory. The same seed gives the same pages. */
export async function samplePages(
  kinds: readonly SampleKind[],
  count: number,
  directory: string,
): Promise<SamplePage[]> {
  const pages: SamplePage[] = [];
  for (let number = 0; number < count; number++) {
    const kind = kinds[number % kinds.length] ?? 'clean';
    const { image, truth, extension } = await makeSample(kind, 100 + number);
    const name = `${String(number + 1).padStart(3, '0')}-${kind}`;
    const path = join(directory, `${name}.${extension}`);
    await writeFile(path, image);
    pages.push({ name, kind, path, image, truth });
  }
  return pages;
}
