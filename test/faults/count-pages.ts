import type { z } from 'zod';
import type { Client } from '../../src/terminal/client/client.ts';
import { documentPages } from '../../src/transcription/operations/pages.ts';

export interface PageCount {
  done: number;
  failed: number;
  /** Of those that were sent, how many the document doesn't have as done or failed. */
  lost: number;
  /** Pages that the document has more than once. */
  duplicates: number;
}

const listed = 500;

/** Compares the pages of a document with those that were sent, by their names. */
export async function countPages(
  client: Client,
  document: string,
  sent: readonly string[],
): Promise<PageCount> {
  const pages: z.output<typeof documentPages.output>['pages'] = [];
  for (let offset = 0; pages.length === offset; offset += listed) {
    const input = { document, offset, limit: listed };
    pages.push(...(await client.call(documentPages, input)).pages);
  }
  const namesOf = (state: string) =>
    new Set(pages.filter((page) => page.state === state).map(({ name }) => name));
  const [done, failed] = [namesOf('done'), namesOf('failed')];
  return {
    done: done.size,
    failed: failed.size,
    lost: sent.filter((name) => !done.has(name) && !failed.has(name)).length,
    duplicates: pages.length - new Set(pages.map(({ name }) => name)).size,
  };
}
