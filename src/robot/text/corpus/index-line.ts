/** A line of the index (CDXJ): sorted, it finds a URL or all of a host by bisection. */
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

/** `cz,example,www)/path?query`: the host backwards, so that a domain's hosts stand together. */
export function sortKey(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return url;
  const host = /^[\d.[\]:a-f]+$/.test(parsed.hostname) && /[\d\]]$/.test(parsed.hostname);
  const name = host ? parsed.hostname : parsed.hostname.split('.').reverse().join(',');
  const port = parsed.port === '' ? '' : `:${parsed.port}`;
  return `${name}${port})${parsed.pathname}${parsed.search}`.toLowerCase().replaceAll(' ', '%20');
}
