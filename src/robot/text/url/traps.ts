import { longestUrl } from './normalize-url.ts';

// Traps that every crawl avoids. What a single crawl skips is decided in `crawl/scope.ts`, which asks here too.

const deepestPath = 15;
const mostParameters = 10;

/** Why a URL looks like one of endlessly many, or undefined. Pages worth reading rarely have such URLs. */
export function trapIn(url: string): string | undefined {
  if (url.length > longestUrl) return `longer than ${longestUrl} characters`;
  const start = url.indexOf('/', url.indexOf('://') + 3);
  if (start < 0) return undefined;
  const question = url.indexOf('?', start);
  const path = url.slice(start, question < 0 ? undefined : question);
  const query = question < 0 ? '' : url.slice(question + 1);
  const segments = path.split('/').filter((segment) => segment !== '');
  return (
    deepTrap(segments) ??
    repeatTrap(segments) ??
    sessionTrap(path, query) ??
    parameterTrap(query) ??
    calendarTrap(path, query)
  );
}

function deepTrap(segments: readonly string[]): string | undefined {
  return segments.length > deepestPath ? `path deeper than ${deepestPath}` : undefined;
}

/** /a/b/a/b/a/b or the same segment over and over: a relative link that leads to itself. */
function repeatTrap(segments: readonly string[]): string | undefined {
  if (segments.length < 3) return undefined;
  const counts = new Map<string, number>();
  for (const segment of segments) {
    const count = (counts.get(segment) ?? 0) + 1;
    // Numbers repeat in dates: /2024/05/05/.
    if (count > (/^\d+$/.test(segment) ? 3 : 2)) return `segment "${segment}" repeats`;
    counts.set(segment, count);
  }
  // A single segment that repeats may be a name: /praha/praha, /scrapy/scrapy.
  for (let length = 2; length <= segments.length / 2; length += 1) {
    for (let at = 0; at + 2 * length <= segments.length; at += 1) {
      const part = segments.slice(at, at + length);
      if (part.every((segment, index) => segment === segments[at + length + index]))
        return `segments "${part.join('/')}" repeat`;
    }
  }
  return undefined;
}

function sessionTrap(path: string, query: string): string | undefined {
  if (/;(?:jsessionid|sid)=/i.test(path)) return 'session id in the path';
  if (query.split('&').some(isSession)) return 'session id in the query';
  return undefined;
}

/** `sessid=`, `my_session_id=` and the like, with a long value. */
function isSession(parameter: string): boolean {
  const [, name = ''] = /^([a-z_.]+)=[a-z0-9-]{16}/i.exec(parameter) ?? [];
  const words = name.toLowerCase();
  const last = Math.max(words.lastIndexOf('_'), words.lastIndexOf('.'));
  return (
    words.includes('sess', last + 1) || (words[last] === '_' && /sess(?:ion)?$/.test(words.slice(0, last)))
  );
}

function parameterTrap(query: string): string | undefined {
  if (query === '') return undefined;
  const names = query.split('&').map((parameter) => parameter.split('=', 1)[0] ?? '');
  if (names.length > mostParameters) return `more than ${mostParameters} parameters`;
  // Lists write a[]=1&a[]=2; three or more of another name are a form that adds to itself.
  const plain = names.filter((name) => !name.endsWith('[]') && !/%5b\d*%5d$/i.test(name));
  const repeated = plain.find((name) => plain.filter((other) => other === name).length > 2);
  return repeated === undefined ? undefined : `parameter "${repeated}" repeats`;
}

const calendarWord = /(?:calendar|kalend[aá]|kalendar|akce-mesic|events?|archiv)/i;
const dateParameter = /(?:^|&)(?:date|day|month|year|mesic|rok|den|datum|tribe-bar-date|ical)=/i;

/** A calendar links to the next month for ever, so dates far from our time are skipped. */
function calendarTrap(path: string, query: string): string | undefined {
  if (!calendarWord.test(path) && !dateParameter.test(query) && !/\/\d{4}[-/]\d{1,2}(?:[-/]|$)/.test(path))
    return undefined;
  for (const [, year = ''] of `${path}?${query}`.matchAll(/(?<!\d)(\d{4})(?=[-/.]?\d{1,2}(?!\d)|[&/?]|$)/g)) {
    const value = Number(year);
    if ((value > 1200 && value < 1900) || (value > 2035 && value < 3000))
      return `calendar in the year ${year}`;
  }
  if (/(?:^|&)(?:month|mesic|m)=(?:1[3-9]|[2-9]\d)(?:&|$)/i.test(query)) return 'calendar beyond December';
  return undefined;
}
