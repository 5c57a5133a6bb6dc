/** A line of the index (CDXJ); in a sorted index, bisection finds a URL or all URLs of a host. */
export interface IndexEntry {
  url: string;
  /** ISO 8601. */
  date: string;
  status: number;
  mime: string;
  digest: string;
  filename: string;
  offset: number;
  length: number;
  revisit: boolean;
}

export function indexLine({ url, date, revisit, ...rest }: IndexEntry): string {
  const stamp = date.replaceAll(/[^0-9]/g, '').slice(0, 14);
  const fields = {
    url,
    mime: revisit ? 'warc/revisit' : rest.mime,
    status: String(rest.status),
    digest: rest.digest,
    length: String(rest.length),
    offset: String(rest.offset),
    filename: rest.filename,
  };
  return `${sortKey(url)} ${stamp} ${JSON.stringify(fields)}\n`;
}

/** `cz,example,www)/path?query`: the host reversed, so that hosts of a domain are adjacent. */
export function sortKey(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return url;
  const host = /^[\d.[\]:a-f]+$/.test(parsed.hostname) && /[\d\]]$/.test(parsed.hostname);
  const name = host ? parsed.hostname : parsed.hostname.split('.').reverse().join(',');
  const port = parsed.port === '' ? '' : `:${parsed.port}`;
  return `${name}${port})${parsed.pathname}${parsed.search}`.toLowerCase().replaceAll(' ', '%20');
}
