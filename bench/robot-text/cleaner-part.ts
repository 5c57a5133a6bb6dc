import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanHtml, segment } from '../../src/robot/text/index.ts';

const packages = ['libreoffice-help-cs', 'installation-guide-amd64'];

export interface Speed {
  work: string;
  pages: number;
  megabytes: number;
  /** Megabytes of HTML a second of this thread's processor time, best round. */
  perSecond: number;
}

/** Pages of a directory; without one, those of two Debian packages, fetched once. */
export function readPages(directory: string | undefined): Buffer[] {
  const from = directory ?? fetchPages();
  return globSync('**/*.html', { cwd: from }).map((file) => readFileSync(join(from, file)));
}

function fetchPages(): string {
  const cache = join(import.meta.dirname, '..', '..', '.cache', 'robot-pages');
  const pages = join(cache, 'pages');
  if (globSync('**/*.html', { cwd: pages }).length > 0) return pages;
  mkdirSync(pages, { recursive: true });
  execFileSync('apt-get', ['download', ...packages], { cwd: cache, stdio: 'ignore' });
  for (const file of globSync('*.deb', { cwd: cache }))
    execFileSync('dpkg', ['-x', join(cache, file), pages]);
  return pages;
}

export function measureCleaner(pages: readonly Buffer[], rounds: number): Speed[] {
  const url = 'http://www.example.cz/dir/page.html';
  const works: Record<string, (page: Buffer) => unknown> = {
    'text and links': (page) => cleanHtml(page, { url }),
    'main text too': (page) => cleanHtml(page, { url, main: true }),
    'text, links and segmenter': (page) => segment(cleanHtml(page, { url }).text, { languages: ['cs'] }),
  };
  const bytes = pages.reduce((sum, page) => sum + page.length, 0);
  return Object.entries(works).map(([work, run]) => {
    let least = Number.POSITIVE_INFINITY;
    for (let round = 0; round < rounds; round += 1) {
      const before = process.threadCpuUsage();
      for (const page of pages) run(page);
      const { user, system } = process.threadCpuUsage(before);
      least = Math.min(least, user + system);
    }
    return { work, pages: pages.length, megabytes: bytes / 1e6, perSecond: bytes / least };
  });
}
