import type { AccessRule } from './requests.ts';

/**
 * Where our data is in ZooKeeper. The node /workers/w1 is the znode `workers/=w1`, its children are in `workers/w1/`, and
 * the queue for the hold /workers/w1 is in `workers/!w1/`. So a directory cannot be mistaken for a node, and an ephemeral
 * node can have children, which ZooKeeper does not allow.
 */
export class Names {
  readonly #root: string;
  /** Access to the znodes we create: if we have credentials, only the same credentials. */
  readonly access: AccessRule;

  /** Whether everybody who reaches the servers may read and write our znodes. */
  readonly isOpenToAll: boolean;

  constructor(root: string, hasCredentials: boolean) {
    this.isOpenToAll = !hasCredentials;
    this.#root = escapePath(root);
    this.access = hasCredentials ? { scheme: 'auth', id: '' } : { scheme: 'world', id: 'anyone' };
  }

  node(path: string): string {
    return this.#root + markLast(escapePath(path), '=');
  }

  queue(path: string): string {
    return this.#root + markLast(escapePath(path), '!');
  }

  directory(path: string): string {
    return path === '/' ? this.#root : this.#root + escapePath(path);
  }
}

/** The name of the node that this znode stands for, if it is one. */
export function nodeName(znode: string): string | undefined {
  return znode.startsWith('=') ? decodeURIComponent(znode.slice(1)) : undefined;
}

/** ZooKeeper refuses everything above U+D7FF; `=`, `!` and the escape character must stay unambiguous. */
function escapePath(path: string): string {
  return path.replaceAll(/[%=!\u{d800}-\u{10ffff}]/gu, (character) =>
    Buffer.from(character).reduce((escaped, byte) => `${escaped}%${byte.toString(16).padStart(2, '0')}`, ''),
  );
}

function markLast(path: string, mark: string): string {
  const cut = path.lastIndexOf('/') + 1;
  return path.slice(0, cut) + mark + path.slice(cut);
}
