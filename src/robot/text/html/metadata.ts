import type { PageHead } from './page-head.ts';

const authorNames = [
  'author',
  'article:author',
  'dc.creator',
  'dcterms.creator',
  'parsely-author',
  'sailthru.author',
  'byl',
];
const dateNames = [
  'article:published_time',
  'datepublished',
  'date',
  'dc.date',
  'dc.date.issued',
  'dcterms.created',
  'dcterms.date',
  'pubdate',
  'publishdate',
  'publish-date',
  'parsely-pub-date',
  'sailthru.date',
  'og:published_time',
];

/** The person who wrote the page, if its head or its structured data name one. */
export function authorOf({ meta, structured }: PageHead): string | undefined {
  for (const name of authorNames) {
    const value = meta.get(name)?.replace(/^(?:by|autor:?)\s+/i, '');
    if (value !== undefined && value.length < 200 && !/^https?:/.test(value)) return value;
  }
  for (const json of structured) {
    const [, text] =
      /"author"\s*:\s*(?:\[\s*)?(?:\{[^{}]{0,500}?"name"\s*:\s*)?"((?:[^"\\]|\\.){1,200})"/.exec(json) ?? [];
    const author = text === undefined ? undefined : unquoted(text);
    if (author !== undefined && author !== 'Person' && !/^https?:/.test(author)) return author;
  }
  return undefined;
}

/** When the page was published, in ISO 8601 as far as it is known. */
export function dateOf({ meta, structured, time }: PageHead): string | undefined {
  const found = dateNames.map((name) => meta.get(name));
  for (const json of structured) found.push(/"datePublished"\s*:\s*"([^"]{4,40})"/.exec(json)?.[1]);
  found.push(time);
  for (const value of found) {
    const date = value === undefined ? undefined : isoOf(value);
    if (date !== undefined) return date;
  }
  return undefined;
}

const longestDate = 100;

function isoOf(value: string): string | undefined {
  const text = value.slice(0, longestDate).trim();
  const [iso] =
    /^\d{4}-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:Z|[+-]\d{2}:?\d{2})?)?)?/.exec(text) ??
    [];
  if (iso !== undefined) return iso.replace(' ', 'T').trim();
  const [, day, month, year] = /^(\d{1,2})\.\s*(\d{1,2})\.\s*(\d{4})/.exec(text) ?? [];
  if (year !== undefined) return `${year}-${month?.padStart(2, '0')}-${day?.padStart(2, '0')}`;
  const parsed = /\d{4}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(parsed) ? undefined : new Date(parsed).toISOString();
}

function unquoted(text: string): string | undefined {
  try {
    return String(JSON.parse(`"${text}"`)).trim() || undefined;
  } catch {
    return undefined;
  }
}
