import { createHash } from 'node:crypto';

/** A synthetic web: its hosts, addresses and pages depend on nothing but the plan. */
export interface WebPlan {
  seed: number;
  hosts: number;
  addresses: number;
  /** Pages of each host. */
  pages: number;
  /** Without faults every host is well-behaved and fast, and every page is there. */
  faults: boolean;
  port: number;
  /** Paragraphs of a page; 3 by default. */
  paragraphs?: number;
}

/** What is special about a host. */
export const hostKinds = [
  'plain',
  'plain',
  'plain',
  'private',
  'crawl-delay',
  'no-robots',
  'busy',
  'redirects',
  'charsets',
  'slow',
  'resets',
  'broken',
  'robots-elsewhere',
  'forbidden',
  'compressed',
  'meta',
  'trap',
] as const;
export type HostKind = (typeof hostKinds)[number];

export interface WebHost {
  index: number;
  name: string;
  address: string;
  kind: HostKind;
}

/** A number in [0, 1) that depends on nothing but the seed and the words. */
export function chance(seed: number, ...words: (string | number)[]): number {
  const hash = createHash('sha256')
    .update([seed, ...words].join(' '))
    .digest();
  return hash.readUInt32BE(0) / 2 ** 32;
}

const suffixes = ['cz', 'cz', 'cz', 'sk', 'com'];

export function hostsOf({ seed, hosts, addresses, faults }: WebPlan): WebHost[] {
  return Array.from({ length: hosts }, (_, index) => {
    const kind = faults ? (hostKinds[index % hostKinds.length] ?? 'plain') : 'plain';
    const at = index % addresses;
    const suffix = suffixes[Math.floor(chance(seed, 'suffix', index) * suffixes.length)] ?? 'cz';
    return {
      index,
      kind,
      name: `www.web${index}.${suffix}`,
      // 127.0.0.x is left to other servers of this machine.
      address: `127.${20 + Math.floor(at / 60_000)}.${1 + (Math.floor(at / 250) % 240)}.${1 + (at % 250)}`,
    };
  });
}

/** Lines `address host` for --resolve. */
export function resolveLines(plan: WebPlan): string {
  return hostsOf(plan)
    .map(({ address, name }) => `${address} ${name}\n`)
    .join('');
}

export function seedUrl(plan: WebPlan): string {
  return `http://${hostsOf({ ...plan, hosts: 1 })[0]?.name}:${plan.port}/`;
}

/** The path of a page of a host. Page 0 is the root. */
export function pathOf(page: number): string {
  return page === 0 ? '/' : `/page-${page}.html`;
}

/** An endless path that a robot should soon stop following. */
export const trapPath = '/trap/deeper';
export const isDeepInTrap = (path: string) => path.split('/deeper').length > 10;

/** A page that robots.txt forbids. */
export const privatePath = (page: number) => `/private/${page}.html`;
