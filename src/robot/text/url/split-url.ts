/** `https://a.cz:8443/b?c` as the frontier has it: origin, host and path. The address must be normalised. */
export function splitUrl(url: string): { origin: string; host: string; path: string } {
  const slash = url.indexOf('/', url.indexOf('://') + 3);
  const origin = slash < 0 ? url : url.slice(0, slash);
  return { origin, host: hostOf(origin), path: slash < 0 ? '/' : url.slice(slash) };
}

/** The host of an origin, without the port. */
export function hostOf(origin: string): string {
  const authority = origin.slice(origin.indexOf('://') + 3);
  return authority.startsWith('[')
    ? authority.slice(1, authority.indexOf(']'))
    : authority.replace(/:\d+$/, '');
}
