import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { constants, gunzipSync } from 'node:zlib';

/** How a crawler did. */
export interface Contest {
  name: string;
  settings: string;
  pages: number;
  seconds: number;
  pagesPerSecond: number;
  ended: boolean;
}

export interface Peer {
  name: string;
  /** Values of its concurrency to choose the best of. */
  concurrencies: readonly number[];
  run(options: { url: string; directory: string; concurrency: number; limitMs: number }): Promise<Contest>;
}

const root = join(import.meta.dirname, '..', '..');

/** Runs a program for at most that long; resolves to the seconds it took and whether it ended by itself. */
async function timed(command: string, words: readonly string[], cwd: string, limitMs: number) {
  const began = performance.now();
  const child = spawn(command, words, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (data) => {
    errors = (errors + data).slice(-2_000);
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
  const [code, signal] = await once(child, 'close');
  clearTimeout(timer);
  if (code !== 0 && signal === null && code !== 8)
    throw new Error(`${command} ended with ${code}: ${errors}`);
  return { seconds: (performance.now() - began) / 1000, ended: signal === null };
}

function contest(
  name: string,
  settings: string,
  pages: number,
  time: { seconds: number; ended: boolean },
): Contest {
  return { name, settings, pages, ...time, pagesPerSecond: Math.round(pages / time.seconds) };
}

/** Text, vertical, JSON lines, WARC and log, all durable. */
export const pismak: Peer = {
  name: 'Pismak',
  concurrencies: [16, 32],
  async run({ url, directory, concurrency, limitMs }) {
    const output = join(directory, 'corpus');
    const options = `--include ^127.0.0.1$ --allow-private --req-delay 0 --general-pause 0 --max-hosts ${concurrency} --max-reqs 10000`;
    const words = ['robot', 'crawl', url, ...options.split(' '), '-o', output];
    const time = await timed(join(root, 'bin', 'pismak'), words, directory, limitMs);
    const files = (await namesIn(output)).filter((file) => file.startsWith('documents-'));
    let pages = 0;
    // A run that was stopped may leave half a gzip member at the end.
    const finishFlush = constants.Z_SYNC_FLUSH;
    for (const file of files)
      pages += countPages(gunzipSync(await readFile(join(output, file)), { finishFlush }));
    return contest('Pismak', options, pages, time);
  },
};

const spider = `
import scrapy
from scrapy.linkextractors import LinkExtractor
from w3lib.html import remove_tags, remove_tags_with_content

class Pages(scrapy.Spider):
    name = "pages"
    allowed_domains = ["127.0.0.1"]
    links = LinkExtractor()
    def __init__(self, start, **rest):
        super().__init__(**rest)
        self.start_urls = [start]
    def parse(self, response):
        text = remove_tags(remove_tags_with_content(response.text, ("script", "style")))
        yield {"url": response.url, "text": text}
        for link in self.links.extract_links(response):
            yield scrapy.Request(link.url)
`;

export const scrapy: Peer = {
  name: 'Scrapy',
  concurrencies: [8, 16, 32],
  async run({ url, directory, concurrency, limitMs }) {
    await writeFile(join(directory, 'spider.py'), spider);
    const settings = {
      CONCURRENT_REQUESTS: concurrency,
      CONCURRENT_REQUESTS_PER_DOMAIN: concurrency,
      DOWNLOAD_DELAY: 0,
      ROBOTSTXT_OBEY: 'True',
      LOG_LEVEL: 'ERROR',
      TELNETCONSOLE_ENABLED: 'False',
      COOKIES_ENABLED: 'False',
    };
    const words = Object.entries(settings).flatMap(([name, value]) => ['-s', `${name}=${value}`]);
    const all = ['-m', 'scrapy', 'runspider', 'spider.py', '-a', `start=${url}`, '-O', 'items.jl', ...words];
    const time = await timed('/usr/bin/python3', all, directory, limitMs);
    const pages = await pagesIn(join(directory, 'items.jl'));
    return contest('Scrapy', words.filter((word) => word !== '-s').join(' '), pages, time);
  },
};

export const crawlee: Peer = {
  name: 'Crawlee',
  concurrencies: [8, 16, 32],
  async run({ url, directory, concurrency, limitMs }) {
    const program = join(import.meta.dirname, 'crawlee-program.ts');
    const output = join(directory, 'items.jl');
    const time = await timed(
      process.execPath,
      [program, url, output, String(concurrency)],
      directory,
      limitMs,
    );
    const pages = await pagesIn(output);
    return contest(
      'Crawlee',
      `CheerioCrawler, maxConcurrency ${concurrency}, nothing else on disk`,
      pages,
      time,
    );
  },
};

/** It stores pages as they are: no text is made. */
export const wget: Peer = {
  name: 'wget',
  concurrencies: [1],
  async run({ url, directory, limitMs }) {
    const words = ['--recursive', '--level=inf', '--no-verbose', '--quiet', url];
    const time = await timed('wget', words, directory, limitMs);
    const pages = (await htmlFilesIn(directory)).length;
    return contest('wget', words.slice(0, -1).join(' '), pages, time);
  },
};

/** A peer that is stopped very early may have written nothing. */
async function pagesIn(file: string): Promise<number> {
  return countPages(await readFile(file).catch(ifMissing(Buffer.alloc(0))));
}

async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch(ifMissing<string[]>([]));
}

function ifMissing<Value>(value: Value): (error: NodeJS.ErrnoException) => Value {
  return (error) => {
    if (error.code !== 'ENOENT') throw error;
    return value;
  };
}

/** Listings of folders are no pages, and index.html may be one. */
function countPages(content: Buffer): number {
  let pages = 0;
  for (let start = 0; start < content.length; ) {
    const end = content.indexOf(10, start);
    const line = content.toString('latin1', start, Math.min(start + 2_000, end < 0 ? content.length : end));
    if (/^\{"url": ?"[^"]*(?<!\/index)\.html"/.test(line)) pages++;
    if (end < 0) break;
    start = end + 1;
  }
  return pages;
}

/** Without index.html, as all peers are counted. */
export async function htmlFilesIn(directory: string): Promise<string[]> {
  const files = await readdir(directory, { recursive: true });
  return files.filter((file) => file.endsWith('.html') && basename(file) !== 'index.html');
}
