/** `https://a.cz:8443/b?c` as the frontier has it: origin, host and path. The URL must be normalised. */
export function splitUrl(url: string): { origin: string; host: string; path: string } {
  const origin = originOf(url);
  const path = url.slice(origin.length);
  return { origin, host: hostOf(origin), path: path === '' ? '/' : path };
}

/** The origin of a normalised URL. */
export function originOf(url: string): string {
  const slash = url.indexOf('/', url.indexOf('://') + 3);
  return slash < 0 ? url : url.slice(0, slash);
}

/** The host of an origin, without the port. */
export function hostOf(origin: string): string {
  const authority = origin.slice(origin.indexOf('://') + 3);
  return authority.startsWith('[')
    ? authority.slice(1, authority.indexOf(']'))
    : authority.replace(/:\d+$/, '');
}
