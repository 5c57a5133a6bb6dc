import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { RunningPismak } from '../running-pismak.ts';
import { type HostilePage, hostilePages } from './hostile-web-pages.ts';

export interface HostileWebFigures {
  pages: number;
  /** How many of them the robot asked for. */
  asked: number;
  documents: number;
  /** How pages ended that are no documents, by kind. */
  errors: Record<string, number>;
  seconds: number;
  honest: { documents: number; seconds: number };
  /** Empty if the robot withstood. */
  faults: string[];
}

const honestPages = 40;
const patienceMs = 30 * 60_000;
const quick = {
  allowPrivate: true,
  reqDelay: 0,
  generalPause: 0.2,
  maxHosts: 8,
  maxReqs: 20,
  attempts: 1,
  pageTimeout: 5,
  blockFor: 0.5,
  retryDelay: 0.5,
};

/** Crawls a hostile web of about 200 pages and an honest web beside it, then deletes both crawls. `names` chooses pages by what their names contain. */
export async function crawlHostileWeb(
  up: Pick<RunningPismak, 'call' | 'read'>,
  { names = '', onProgress }: { names?: string; onProgress?: ((line: string) => void) | undefined } = {},
): Promise<HostileWebFigures> {
  const pages = hostilePages().filter(({ name }) => name.includes(names));
  const asked = new Set<number>();
  // A server that answers slowly is given up after a while, so each slow page has a server of its own.
  const hostOf = (page: HostilePage, number: number) =>
    page.pace === undefined ? '' : `//127.0.67.${number % 256}:${new URL(hostile.url).port}`;
  const hostile = await serve('127.0.66.1', (path, response) => {
    if (path === '/robots.txt') return void response.end(hostileRules);
    if (path === '/') return void response.setHeader('content-type', 'text/html').end(links);
    const number = Number(path.slice(1));
    const page = pages[number];
    if (!page) return void response.writeHead(404).end();
    asked.add(number);
    void answer(page, response);
  });
  const links = pages.map((page, number) => `<a href="${hostOf(page, number)}/${number}">x</a>`).join(' ');
  const honest = await serve('127.0.66.2', (path, response) => {
    if (path === '/robots.txt') return void response.writeHead(404).end();
    response.setHeader('content-type', 'text/html; charset=utf-8');
    const sentence = `Kronika obce číslo ${path.slice(1) || 'nula'} popisuje, jak se tu dříve žilo a hospodařilo.`;
    response.end(`<p>${`${sentence} `.repeat(5)}</p>${linksTo(honestPages - 1)}`);
  });
  const faults: string[] = [];
  try {
    const crawls = await Promise.all(
      [hostile, honest].map(async ({ url }, index) => {
        const name = ['hostile web', 'honest web'][index] as string;
        const { id } = await up.call<{ id: string }>('robot.new', { name, seeds: [url], ...quick });
        return { id, name };
      }),
    );
    const startedAt = performance.now();
    const [bad, good] = await Promise.all(
      crawls.map(async ({ id, name }) => {
        await up.call('robot.start', { crawl: id });
        const statistics = await finished(up, id);
        if (!statistics) faults.push(`crawl ${name} did not finish`);
        const seconds = Math.round((performance.now() - startedAt) / 1000);
        onProgress?.(`${name}: ${statistics?.documents ?? 0} documents after ${seconds} s`);
        return { documents: 0, errors: {}, ...statistics, seconds };
      }),
    );
    for (const { id, name } of crawls)
      if (!(await isDeleted(up, id))) faults.push(`crawl ${name} can't be deleted`);
    if (asked.size < pages.length) faults.push(`${pages.length - asked.size} pages were never asked for`);
    if (good?.documents !== honestPages)
      faults.push(`the honest web has ${honestPages} pages, of which ${good?.documents} were stored`);
    return {
      pages: pages.length,
      asked: asked.size,
      documents: bad?.documents ?? 0,
      errors: bad?.errors ?? {},
      seconds: bad?.seconds ?? 0,
      honest: { documents: good?.documents ?? 0, seconds: good?.seconds ?? 0 },
      faults,
    };
  } finally {
    for (const { server } of [hostile, honest]) server.close().closeAllConnections();
  }
}

interface Status {
  state: string;
  statistics: { documents: number; errors: Record<string, number> };
}

async function finished(
  up: Pick<RunningPismak, 'call' | 'read'>,
  crawl: string,
): Promise<Status['statistics'] | undefined> {
  const until = performance.now() + patienceMs;
  while (performance.now() < until) {
    const { state, statistics } = await up.read<Status>('robot.status', { crawl });
    if (state === 'finished') return statistics;
    await wait(500);
  }
  return undefined;
}

/** A crawl that did not finish is stopped first; that frees its harvesters within seconds. */
async function isDeleted(up: Pick<RunningPismak, 'call' | 'read'>, crawl: string): Promise<boolean> {
  await up.call('robot.stop', { crawl }).catch(() => {});
  for (let attempt = 0; attempt < 60; attempt++) {
    if (
      await up.call('robot.delete', { crawl }).then(
        () => true,
        () => false,
      )
    )
      return true;
    await wait(500);
  }
  return false;
}

function linksTo(count: number): string {
  return Array.from({ length: count }, (_, number) => `<a href="/${number}">${number}</a>`).join(' ');
}

/** Half a megabyte: a delay for many robots again and again, and wildcards that are searched for in every path. */
const hostileRules = [
  ...Array.from({ length: 8_000 }, (_, number) => `User-agent: robot${number}`),
  ...Array.from({ length: 8_000 }, () => 'Crawl-delay: 1'),
  'User-agent: *',
  ...Array.from({ length: 8_000 }, (_, number) => `Disallow: /zz*a*ab${number}`),
].join('\n');

async function serve(
  address: string,
  listener: (path: string, response: ServerResponse) => void,
): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => {
    response.on('error', () => {});
    listener(request.url ?? '/', response);
  });
  // Every address of the loopback network leads here.
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  return { server, url: `http://${address}:${(server.address() as AddressInfo).port}/` };
}

async function answer(
  { type, body, status = 200, headers, pace }: HostilePage,
  response: ServerResponse,
): Promise<void> {
  if (pace === 'never') return;
  const plain = body();
  const isText = pace === undefined && plain.length > 10_000 && /text|xml|html/.test(type);
  const sent = isText ? gzipSync(plain, { level: 1 }) : plain;
  const length = pace === undefined ? sent.length : 1_000_000;
  response.writeHead(status, {
    'content-type': type,
    ...(pace === 'endless' ? {} : { 'content-length': length }),
    ...(isText && { 'content-encoding': 'gzip' }),
    ...headers,
  });
  response.flushHeaders();
  if (pace === undefined) return void response.end(sent);
  if (pace === 'head only') return;
  if (pace === 'cut off') return void response.write(sent, () => response.destroy());
  const [piece, pauseMs] = pace === 'endless' ? [Buffer.alloc(64_000, 'a '), 10] : [Buffer.from('x'), 500];
  while (!response.destroyed) {
    response.write(piece);
    await wait(pauseMs);
  }
}
