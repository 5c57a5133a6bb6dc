import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeWeb } from '../../src/robot/web/web-pages.ts';
import { pathOf } from '../../src/robot/web/web-plan.ts';

/** Writes the pages of one host of the synthetic web as files, for nginx. */
export async function writePages(directory: string, pages: number): Promise<{ bytes: number }> {
  const web = makeWeb({ seed: 3, hosts: 1, addresses: 1, pages, faults: false, port: 80, paragraphs: 6 });
  const [host] = web.hosts;
  if (!host) throw new Error('the web has no host');
  let bytes = 0;
  await mkdir(directory, { recursive: true });
  for (let page = 0; page < pages; page++) {
    const { body } = web.answer(host, pathOf(page), 0);
    bytes += body.length;
    await writeFile(join(directory, page === 0 ? 'index.html' : pathOf(page)), body);
  }
  return { bytes };
}
