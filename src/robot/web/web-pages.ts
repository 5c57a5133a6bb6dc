import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { chance, hostsOf, pathOf, privatePath, trapPath, type WebHost, type WebPlan } from './web-plan.ts';
import { encode, languageOf, paragraph } from './web-text.ts';

/** What a server does with a request. */
export interface PlannedAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  /** Milliseconds before it answers. */
  delayMs?: number;
  /** Resets the connection, closes it after half of the body, or never stops sending. */
  fault?: 'reset' | 'half' | 'endless';
}

export interface Web {
  plan: WebPlan;
  hosts: WebHost[];
  /** `attempt` counts requests of this page so far: some faults pass. */
  answer(host: WebHost, path: string, attempt: number): PlannedAnswer;
  /** Every page that a crawl without limits stores, by its address. */
  expected(): string[];
  /** The pages at most `depth` links away from the first one, in a web without faults. */
  within(depth: number): string[];
  robots(host: WebHost): { status: number; text: string; location?: string };
}

const htmlType = 'text/html; charset=utf-8';

export function makeWeb(plan: WebPlan): Web {
  const { seed, pages, port } = plan;
  const hosts = hostsOf(plan);
  const urlOf = (host: WebHost | undefined, path: string) => `http://${host?.name}:${port}${path}`;

  /** The tree makes every page reachable, the rest makes it a web. */
  function linksOf(host: WebHost, page: number): string[] {
    const children = [2 * page + 1, 2 * page + 2].filter((child) => child < pages).map(pathOf);
    const others = [0, 1].map((index) =>
      pathOf(Math.floor(chance(seed, 'link', host.index, page, index) * pages)),
    );
    const links = [...children, ...others];
    if (page === 0) for (const next of neighbours(host.index)) links.push(urlOf(hosts[next], '/'));
    if (page % 5 === 1) {
      const other = hosts[Math.floor(chance(seed, 'host', host.index, page) * hosts.length)];
      links.push(urlOf(other, pathOf(Math.floor(chance(seed, 'to', host.index, page) * pages))));
    }
    if (host.kind === 'private') links.push(privatePath(page));
    if (host.kind === 'trap') links.push(trapPath);
    if (host.kind === 'redirects' && page > 0) links.push(`/moved-${page}`, '/loop-1');
    return links;
  }

  /** The next hosts in the tree; behind a host that forbids everything, also the hosts after it, so that they are found. */
  function neighbours(index: number): number[] {
    return [2 * index + 1, 2 * index + 2]
      .filter((next) => next < hosts.length)
      .flatMap((next) => (hosts[next]?.kind === 'forbidden' ? [next, ...neighbours(next)] : [next]));
  }

  function html(host: WebHost, page: number, charset: string): string {
    const language = languageOf(seed, host.index);
    const text = Array.from({ length: plan.paragraphs ?? 3 }, (_, part) => part)
      .map((part) => `<p>${paragraph(seed, language, 4, host.index, page, part)}</p>`)
      .join('\n');
    const links = linksOf(host, page).map((link, index) => `<li><a href="${link}">odkaz ${index}</a></li>`);
    const meta = host.kind === 'meta' && page % 3 === 1 ? '<meta name="robots" content="noindex">' : '';
    return (
      `<!doctype html><html lang="${language}"><head><meta charset="${charset}">${meta}<title>${host.name} ${page}</title>` +
      `<style>p { margin: 1em }</style><script>var a = "<p>";</script></head><body><h1>Strana ${page}</h1>\n${text}\n` +
      `<ul>${links.join('')}</ul></body></html>`
    );
  }

  function robots(host: WebHost): { status: number; text: string; location?: string } {
    switch (host.kind) {
      case 'private':
        return { status: 200, text: 'User-agent: *\nDisallow: /private/\n' };
      case 'crawl-delay':
        return { status: 200, text: 'User-agent: *\nCrawl-delay: 1\n' };
      case 'no-robots':
        return { status: 404, text: 'not here' };
      case 'forbidden':
        return { status: 200, text: 'User-agent: *\nDisallow: /\n' };
      case 'robots-elsewhere':
        return { status: 302, text: '', location: urlOf(hosts[0], '/robots.txt') };
      default:
        return { status: 200, text: 'User-agent: *\nDisallow: /admin\n' };
    }
  }

  function page(host: WebHost, number: number, attempt: number): PlannedAnswer {
    const charset =
      host.kind === 'charsets'
        ? ((['windows-1250', 'iso-8859-2', 'utf-8'] as const)[number % 3] ?? 'utf-8')
        : 'utf-8';
    const body = encode(html(host, number, charset), charset);
    const plain: PlannedAnswer = {
      status: 200,
      headers: { 'content-type': `text/html; charset=${charset}` },
      body,
    };
    const roll = chance(seed, 'fault', host.index, number);
    switch (host.kind) {
      case 'busy':
        if (attempt === 0 && roll < 0.1)
          return { status: 429, headers: { 'retry-after': '1' }, body: Buffer.from('slow down') };
        return plain;
      case 'slow':
        return { ...plain, delayMs: 20 + Math.floor(roll * 100) };
      case 'resets':
        return attempt === 0 && roll < 0.2 ? { ...plain, fault: 'reset' } : plain;
      case 'broken':
        return number > 0 ? breakPage(plain, roll) : plain;
      case 'compressed': {
        const [encoding, content] = (
          [
            ['gzip', gzipSync],
            ['br', brotliCompressSync],
            ['zstd', zstdCompressSync],
          ] as const
        )[number % 3] ?? ['gzip', gzipSync];
        return { ...plain, headers: { ...plain.headers, 'content-encoding': encoding }, body: content(body) };
      }
      default:
        return plain;
    }
  }

  /** Leaves of the tree only: what is broken has no links that matter. */
  function breakPage(plain: PlannedAnswer, roll: number): PlannedAnswer {
    if (roll < 0.2) {
      const body = gzipSync(plain.body).subarray(0, 100);
      return { ...plain, headers: { ...plain.headers, 'content-encoding': 'gzip' }, body };
    }
    if (roll < 0.3) return { ...plain, fault: 'half' };
    if (roll < 0.33) return { ...plain, fault: 'endless' };
    return plain;
  }

  function isBroken(host: WebHost, number: number): boolean {
    const roll = chance(seed, 'fault', host.index, number);
    return host.kind === 'broken' && number > 0 && roll < 0.33;
  }

  return {
    plan,
    hosts,
    robots,
    answer(host, path, attempt) {
      if (path === '/robots.txt') {
        const { status, text, location } = robots(host);
        const headers = { 'content-type': 'text/plain', ...(location !== undefined && { location }) };
        return { status, headers, body: Buffer.from(text) };
      }
      const moved = /^\/moved-(\d+)$/.exec(path);
      if (moved) return redirect(pathOf(Number(moved[1])));
      const loop = /^\/loop-([12])$/.exec(path);
      if (loop) return redirect(loop[1] === '1' ? '/loop-2' : '/loop-1');
      if (host.kind === 'trap' && path.startsWith(trapPath)) return trap(path);
      const named = /^\/page-(\d+)\.html$/.exec(path);
      const number = path === '/' ? 0 : named ? Number(named[1]) : pages;
      if (number >= pages)
        return { status: 404, headers: { 'content-type': htmlType }, body: Buffer.from('<p>404</p>') };
      return page(host, number, attempt);
    },
    within(depth) {
      const first = urlOf(hosts[0], '/');
      let edge = [first];
      const known = new Set(edge);
      const byUrl = new Map(
        hosts.flatMap((host) =>
          Array.from(
            { length: pages },
            (_, number) => [urlOf(host, pathOf(number)), { host, number }] as const,
          ),
        ),
      );
      for (let level = 0; level < depth; level++) {
        edge = edge.flatMap((url) => {
          const at = byUrl.get(url);
          if (!at) return [];
          return linksOf(at.host, at.number).map((link) => new URL(link, url).href);
        });
        edge = edge.filter((url) => !known.has(url));
        for (const url of edge) known.add(url);
      }
      return [...known];
    },
    expected() {
      return hosts.flatMap((host) => {
        if (host.kind === 'forbidden') return [];
        return Array.from({ length: pages }, (_, number) => number)
          .filter((number) => !isLost(host, number))
          .map((number) => urlOf(host, pathOf(number)));
      });
    },
  };

  /** Broken, not to be kept, or reachable only through a broken page. */
  function isLost(host: WebHost, number: number): boolean {
    if (isBroken(host, number)) return true;
    if (host.kind === 'meta' && number % 3 === 1) return true;
    if (host.kind !== 'broken') return false;
    for (let parent = number; parent > 0; ) {
      parent = Math.floor((parent - 1) / 2);
      if (isBroken(host, parent)) return true;
    }
    return false;
  }
}

/** noindex, so that the size of the corpus does not depend on how far a robot goes. */
function trap(path: string): PlannedAnswer {
  const html = `<meta name="robots" content="noindex"><p>Ještě hlouběji.</p><a href="${path}/deeper">dále</a>`;
  return { status: 200, headers: { 'content-type': htmlType }, body: Buffer.from(html) };
}

function redirect(location: string): PlannedAnswer {
  return { status: 302, headers: { location }, body: Buffer.alloc(0) };
}
