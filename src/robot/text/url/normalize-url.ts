/** Longer URLs are traps or mistakes; servers refuse them at about this length too. */
export const longestUrl = 2000;
/** Longer names of hosts have no address in the DNS. */
const longestHost = 253;

/** Parameters that tell where a visitor came from, and never change the page. */
const tracking = /^(?:utm_[a-z_]+|fbclid|gclid|gclsrc|dclid|msclkid|yclid|mc_[ce]id|_ga|igshid)$/i;
/** Parameters that identify a visit. */
const session =
  /^(?:phpsessid|jsessionid|aspsessionid[a-z]*|asp\.net_sessionid|cfid|cftoken|sessid|session_?id|sid|zenid|osCsid)$/i;

/**
 * The spelling under which a URL is queued: without fragment, credentials and session, percent-encoded only where
 * needed. Undefined if it is not the URL of a web page.
 */
export function normalizeUrl(url: string, base?: string): string | undefined {
  if (url.length > 4 * longestUrl) return undefined;
  const parsed = URL.parse(url.trim(), base);
  if (parsed === null || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) return undefined;
  const host = parsed.hostname.endsWith('.') ? parsed.hostname.slice(0, -1) : parsed.hostname;
  if (host === '' || host.length > longestHost) return undefined;
  const port = parsed.port === '' ? '' : `:${parsed.port}`;
  const path = withoutSession(tidyEncoding(parsed.pathname));
  const query = parsed.search === '' ? '' : tidyQuery(parsed.search.slice(1));
  const normal = `${parsed.protocol}//${host}${port}${path}${query}`;
  return normal.length > longestUrl ? undefined : normal;
}

/** Paths of unreserved characters, without empty segments and segments that begin with a dot. */
const plainPath = /^\/?(?:[\w~-][\w~.-]*(?:\/[\w~-][\w~.-]*)*\/?)?$/;

/** Normalises the links of a page. Most are plain paths, which need no parser. */
export function linksFrom(base: string): (href: string) => string | undefined {
  const { folder, root } = placesOf(base);
  if (folder === undefined || root === undefined || !folder.endsWith('/'))
    return (href) => normalizeUrl(href, base);
  return (href) => {
    if (href === '' || href.length > longestUrl || !plainPath.test(href)) return normalizeUrl(href, base);
    const url = href.charCodeAt(0) === 47 ? root + href.slice(1) : folder + href;
    return url.length > longestUrl ? undefined : url;
  };
}

interface Places {
  folder: string | undefined;
  root: string | undefined;
}

const plainName = /^(?:[\w~-][\w~.-]*)?$/;

/** The last folder, because pages of a folder come together. */
let known: { of: string; places: Places } | undefined;

function placesOf(base: string): Places {
  const end = base.lastIndexOf('/') + 1;
  // A plain name after the last slash makes no difference.
  const of = end > 'https://'.length && plainName.test(base.slice(end)) ? base.slice(0, end) : base;
  if (known?.of !== of)
    known = { of, places: { folder: normalizeUrl('.', base), root: normalizeUrl('/', base) } };
  return known.places;
}

/** Removes sessions from the path: /a;jsessionid=1B2 and /(S(abc))/a. */
function withoutSession(path: string): string {
  if (!path.includes(';') && !path.includes('(')) return path;
  return path
    .replaceAll(/;(?:jsessionid|phpsessid|sid|sessionid)=[^/;]*/gi, '')
    .replaceAll(/\/\([a-z]\([a-z0-9]{20,}\)\)/gi, '');
}

function tidyQuery(query: string): string {
  const kept = query.split('&').filter((parameter) => {
    const [name = ''] = parameter.split('=', 1);
    return parameter !== '' && !tracking.test(name) && !(session.test(name) && looksLikeSession(parameter));
  });
  return kept.length === 0 ? '' : `?${tidyEncoding(kept.join('&'))}`;
}

/** `sid=12` may select a page; a long value identifies a visit. */
function looksLikeSession(parameter: string): boolean {
  return parameter.length - parameter.indexOf('=') - 1 >= 8;
}

function tidyEncoding(text: string): string {
  if (!text.includes('%')) return text;
  return text.replaceAll(/%[0-9a-f]{2}/gi, (octet) => {
    const character = String.fromCharCode(Number.parseInt(octet.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : octet.toUpperCase();
  });
}
