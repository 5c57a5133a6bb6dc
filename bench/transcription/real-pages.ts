import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface RealPage {
  name: string;
  kind: string;
  /** As Tesseract names it. */
  language: string;
  path: string;
  truth: string;
}

/**
 * Scans with known text. The directory has `pages.tsv` (name, extension, language, kind, with a head line), `images/NAME.EXTENSION`
 * and `truth/NAME.txt`. `some` chooses pages by parts of their names, separated by commas.
 */
export async function realPages(directory: string, some = ''): Promise<RealPage[]> {
  const [head = '', ...rows] = (await readFile(join(directory, 'pages.tsv'), 'utf8')).trim().split('\n');
  const titles = head.split('\t');
  const pages = rows.map(async (row): Promise<RealPage> => {
    const cells = row.split('\t');
    const cell = (title: string) => cells[titles.indexOf(title)] ?? '';
    const name = cell('name');
    return {
      name,
      kind: cell('kind'),
      language: cell('language'),
      path: join(directory, 'images', `${name}.${cell('extension')}`),
      truth: await readFile(join(directory, 'truth', `${name}.txt`), 'utf8'),
    };
  });
  const wanted = some.split(',');
  return (await Promise.all(pages)).filter(({ name }) => wanted.some((part) => name.includes(part)));
}
