/**
 * robots.txt (RFC 9309), with what Google's published cases add: common misspellings, a missing colon, and
 * `index.html` that stands for its directory. Bytes are kept apart (latin1): rules compare octets, not characters.
 */
export interface Robots {
  /** Whether a robot of this name may fetch this path with its query. A complete URL is understood too. */
  isAllowed(agent: string, pathAndQuery: string): boolean;
  /** Crawl-delay for this robot, in seconds. */
  crawlDelay(agent: string): number | undefined;
  /** Addresses of sitemaps, which belong to no group. */
  readonly sitemaps: string[];
}

interface Rule {
  allow: boolean;
  /** Octets of the pattern as it was written: of two rules, the one with more wins. */
  length: number;
  pattern: Pattern;
  /** The pattern in the one spelling of each address, where that differs. */
  respelled: Pattern | undefined;
  /** `/a/` of `/a/index.html`, which Allow stands for, too. */
  directory: Pattern | undefined;
}

/** What stands between the wildcards. */
interface Pattern {
  parts: string[];
  anchored: boolean;
  length: number;
}

interface Group {
  agents: string[];
  rules: Rule[];
}

/** The rest of a longer file is ignored (RFC 9309, 2.5). */
export const longestRobotsFile = 500 * 1024;
const longestLine = 2083 * 8;
const mostSitemaps = 10_000;
/**
 * Maximum number of rules with wildcards, which are searched for in every path. Further ones are read more strictly: Disallow up to its first wildcard,
 * and Allow not at all.
 */
const mostWildcards = 1_000;

export function parseRobots(bytes: Uint8Array): Robots {
  const { groups, delays, sitemaps } = read(bytes);
  const chosen = new Map<string, { name: string; rules: Rule[] }>();

  const groupOf = (agent: string) => {
    const product = productOf(agent);
    let group = chosen.get(product);
    if (group === undefined) {
      const isNamed = product !== '' && groups.some(({ agents }) => agents.includes(product));
      const name = isNamed ? product : '*';
      group = { name, rules: groups.flatMap(({ agents, rules }) => (agents.includes(name) ? rules : [])) };
      if (chosen.size < 100) chosen.set(product, group);
    }
    return group;
  };

  return {
    isAllowed(agent, pathAndQuery) {
      const given = pathOf(Buffer.from(pathAndQuery).toString('latin1'));
      const path = withoutWildcards(upperOctets(given));
      const respelled = withoutWildcards(respell(given));
      const isEncoded = !/[\x80-\xff]/.test(given);
      let allowed = 0;
      let disallowed = 0;
      for (const rule of groupOf(agent).rules) {
        const { length, pattern, directory } = rule;
        if (length <= (rule.allow ? allowed : disallowed)) continue;
        if (rule.allow) {
          if (matches(pattern, path) || (isEncoded && matches(pattern, respelled))) allowed = length;
          else if (directory && matches(directory, path)) allowed = Math.max(allowed, directory.length);
        } else if (matches(pattern, path) || matches(rule.respelled ?? pattern, respelled)) {
          // Two spellings of one address: where Google reads them as different and the RFC does not, the stricter reading wins, so only
          // Disallow looks behind letters that were encoded without need.
          disallowed = length;
        }
      }
      return allowed >= disallowed;
    },
    crawlDelay: (agent) => delays.get(groupOf(agent).name),
    sitemaps,
  };
}

function read(bytes: Uint8Array) {
  const text = robotsText(bytes);
  const groups: Group[] = [];
  const delays = new Map<string, number>();
  const sitemaps: string[] = [];
  let group: Group | undefined;
  /** The robots that a crawl delay is for. Only rules end a group, but a delay does not reach back to robots before the last one. */
  let delayed: string[] = [];
  let wildcards = 0;
  let hasRules = false;
  let hasDelay = false;
  /** Of them all; kept once, however many lines it has. */
  let delay: number | undefined;
  const keepDelay = () => {
    if (delay !== undefined)
      for (const name of delayed) delays.set(name, Math.max(delays.get(name) ?? 0, delay));
    delay = undefined;
    delayed = [];
  };
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [key, value] = keyAndValue(line.slice(0, longestLine));
    if (key === undefined || value === undefined) continue;
    const kind = kindOf(key);
    if (kind === 'agent') {
      if (group === undefined || hasRules) {
        group = { agents: [], rules: [] };
        groups.push(group);
      }
      if (hasRules || hasDelay) keepDelay();
      hasRules = false;
      hasDelay = false;
      const names = agentsNamed(value);
      group.agents.push(...names);
      delayed.push(...names);
    } else if (kind === 'sitemap') {
      if (sitemaps.length < mostSitemaps) sitemaps.push(Buffer.from(value, 'latin1').toString());
    } else if (kind === 'delay') {
      hasDelay = true;
      const seconds = Number.parseFloat(value.replace(',', '.'));
      if (seconds >= 0) delay = Math.max(delay ?? 0, seconds);
    } else if (group !== undefined && kind !== undefined) {
      hasRules = true;
      if (value.includes('*')) wildcards += 1;
      if (value === '') continue;
      if (wildcards <= mostWildcards || !value.includes('*'))
        group.rules.push(ruleOf(kind === 'allow', value));
      else if (kind === 'disallow') group.rules.push(ruleOf(false, value.slice(0, value.indexOf('*'))));
    }
  }
  keepDelay();
  return { groups, delays, sitemaps };
}

/**
 * A product token has letters, `_` and `-` only; what follows is left out. The whole word counts too: sites name robots such
 * as MJ12bot, and mean them.
 */
function agentsNamed(value: string): string[] {
  if (/^\*(?:\s|$)/.test(value)) return ['*'];
  const names = [/^[a-z_-]+/i, /^[^\s/*]+/].map((name) => name.exec(value)?.[0].toLowerCase() ?? '');
  return [...new Set(names)].filter((name) => name !== '');
}

function ruleOf(allow: boolean, value: string): Rule {
  const written = upperOctets(value).replaceAll(/[\x80-\xff"<>\\^`{|}]/g, encoded);
  const other = respell(value);
  return {
    allow,
    length: written.length,
    pattern: patternOf(written),
    respelled: other === written ? undefined : patternOf(other),
    directory: allow ? directoryOf(written) : undefined,
  };
}

/** `*` stands for anything, and `$` at the end for the end; to mean the characters themselves, a rule says %2A and %24. */
function patternOf(text: string): Pattern {
  const anchored = text.endsWith('$');
  const parts = (anchored ? text.slice(0, -1) : text).split('*').map((part) => part.replaceAll('$', '%24'));
  return { parts, anchored, length: text.length };
}

/** `Allow: /a/index.html` allows /a/ as well. */
function directoryOf(pattern: string): Pattern | undefined {
  const slash = pattern.lastIndexOf('/');
  if (slash < 0 || !pattern.startsWith('/index.htm', slash)) return undefined;
  return patternOf(`${pattern.slice(0, slash + 1)}$`);
}

/**
 * Bytes as characters. Files in UTF-16 begin with a mark of their own. Of a file that is too long, the line that the limit cuts is left
 * out: `Disallow: /` of `Disallow: /a` would forbid everything.
 */
export function robotsText(bytes: Uint8Array): string {
  const read = Buffer.from(bytes.subarray(0, longestRobotsFile));
  let text = read.toString('latin1');
  const [mark] = /^(?:\xff\xfe|\xfe\xff)/.exec(text) ?? [];
  // Some put the mark before a text that is not in UTF-16.
  if (mark !== undefined && !text.includes('\0')) text = text.slice(2);
  else if (mark !== undefined) {
    const even = read.subarray(0, read.length & ~1);
    text = Buffer.from((mark === '\xff\xfe' ? even : even.swap16()).toString('utf16le')).toString('latin1');
  }
  if (bytes.length > longestRobotsFile)
    text = text.slice(0, Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1);
  return withoutMark(text.replaceAll('\0', ''));
}

/** A byte order mark, even a broken one, is no part of the first line. */
function withoutMark(text: string): string {
  let length = 0;
  while (length < 3 && text[length] === '\xef\xbb\xbf'[length]) length += 1;
  return text.slice(length);
}

function keyAndValue(line: string): [key?: string | undefined, value?: string | undefined] {
  const hash = line.indexOf('#');
  const content = (hash < 0 ? line : line.slice(0, hash)).trim();
  const colon = content.indexOf(':');
  if (colon > 0) return [content.slice(0, colon).trimEnd(), content.slice(colon + 1).trimStart()];
  if (colon === 0) return [];
  // Without a colon there must be exactly two words.
  const [key, value, ...more] = content.split(/[ \t]+/);
  return more.length === 0 ? [key, value] : [];
}

const kinds: [beginning: RegExp, kind: 'agent' | 'allow' | 'disallow' | 'sitemap' | 'delay'][] = [
  [/^user[- ]?agent/i, 'agent'],
  [/^allow/i, 'allow'],
  [/^(?:disallow|dissallow|dissalow|disalow|diasllow|disallaw)/i, 'disallow'],
  [/^site-?map/i, 'sitemap'],
  [/^crawl[- ]?delay/i, 'delay'],
];

function kindOf(key: string) {
  return kinds.find(([beginning]) => beginning.test(key))?.[1];
}

/** `pismak` of `pismak/0.3 (+https://...)`. A name with a space is left alone: no line can name it. */
function productOf(agent: string): string {
  const slash = agent.indexOf('/');
  return (slash < 0 ? agent : agent.slice(0, slash)).trim().toLowerCase();
}

/** Path, parameters and query of a URL or of a path. */
export function pathOf(url: string): string {
  const hash = url.indexOf('#');
  const whole = hash < 0 ? url : url.slice(0, hash);
  if (whole.startsWith('/')) return whole;
  const rest = whole.replace(/^[^/?;]*:\/\//, '');
  const start = rest.search(/[/?;]/);
  if (start < 0) return '/';
  return rest[start] === '/' ? rest.slice(start) : `/${rest.slice(start)}`;
}

/** Finds each part between wildcards as early as possible: linear for each, and never worse than another choice. */
function matches({ parts, anchored }: Pattern, path: string): boolean {
  const first = parts[0] ?? '';
  if (!path.startsWith(first)) return false;
  let at = first.length;
  if (parts.length === 1) return !anchored || at === path.length;
  const last = parts.length - 1;
  for (let index = 1; index <= last; index += 1) {
    const part = parts[index] ?? '';
    if (index === last && anchored) return path.length - part.length >= at && path.endsWith(part);
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}

const encoded = (octet: string) => `%${octet.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;

function upperOctets(text: string): string {
  return text.includes('%') ? text.replaceAll(/%[0-9a-f]{2}/gi, (octet) => octet.toUpperCase()) : text;
}

/** A path has no wildcards. */
function withoutWildcards(path: string): string {
  return path.replaceAll(/[*$]/g, encoded);
}

/** Decodes what needs no encoding, and encodes what a URL must not contain. */
function respell(path: string): string {
  const plain = path.replaceAll(/%[0-9a-f]{2}/gi, (octet) => {
    const character = String.fromCharCode(Number.parseInt(octet.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : octet.toUpperCase();
  });
  return plain.replaceAll(/[^\x21-\x7e]|["<>\\^`{|}]/g, encoded);
}
