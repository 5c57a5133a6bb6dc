let token: string | undefined;

/** The token of the link. It follows the #, so it reaches no server and no log; it leaves the address bar at once. */
export function takeSetupToken(): string {
  if (location.hash.length > 1) {
    token = location.hash.slice(1);
    history.replaceState(history.state, '', location.pathname + location.search);
  }
  return token ?? '';
}
