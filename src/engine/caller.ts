/** From least to most powerful: each role may do all that the previous one may. */
export const roles = ['reader', 'user', 'admin'] as const;
/** One of `roles`. */
export type Role = (typeof roles)[number];

/** The caller: a signed-in user, a key, or the local command line (an administrator named `local`). */
export interface Caller {
  name: string;
  role: Role;
  /** Operation names or prefixes that end with a dot; undefined = no restriction beyond the role. */
  scopes?: readonly string[];
  /** May send work before that of others. Administrators may anyway. */
  mayPrioritise?: boolean;
  /** Where the call came from, for the audit log. */
  address: string;
  /** Its credential, `session:HASH` or `key:ID`; undefined for the local command line. */
  credential?: string;
}

/** Whether the caller may see and change what belongs to `owner`. */
export function mayTouch(caller: Pick<Caller, 'name' | 'role'>, owner: string): boolean {
  return caller.role === 'admin' || caller.name === owner;
}

export function hasRole(caller: Caller, needed: Role): boolean {
  return roles.indexOf(caller.role) >= roles.indexOf(needed);
}
