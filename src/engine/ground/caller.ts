/** From least to most powerful: each role includes the rights of the previous one. */
export const roles = ['reader', 'user', 'admin'] as const;
/** One of `roles`. */
export type Role = (typeof roles)[number];

/** The caller: a signed-in user, an API key, or the local command line (an administrator named `local`). */
export interface Caller {
  name: string;
  role: Role;
  /** Operation names or prefixes that end with a dot; undefined = no restriction beyond the role. */
  scopes?: readonly string[];
  /** May submit work ahead of other users' work. Administrators always may. */
  mayPrioritise?: boolean;
  /** Where the call came from, for the audit log. */
  address: string;
  /** The credential it used, `session:HASH` or `key:ID`; undefined for the local command line. */
  credential?: string;
}

/** Something that callers may call if their role and their key's scopes allow it, see `authorise`. */
export interface Callable {
  name: string;
  formerNames?: readonly string[];
  role: Role | 'public';
}

/** Whether the caller may see and change what belongs to `owner`. */
export function mayTouch(caller: Pick<Caller, 'name' | 'role'>, owner: string): boolean {
  return caller.role === 'admin' || caller.name === owner;
}

export function hasRole(caller: Caller, needed: Role): boolean {
  return roles.indexOf(caller.role) >= roles.indexOf(needed);
}
