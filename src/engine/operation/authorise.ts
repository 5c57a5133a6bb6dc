import { type Caller, hasRole } from '../ground/caller.ts';
import { PismakError } from '../ground/errors.ts';
import { namesOf, type Operation } from './operation.ts';

/** Refuses callers that may not call the operation with any input. Returns the caller. */
export function authorise(
  operation: Pick<Operation, 'name' | 'formerNames' | 'role'>,
  caller: Caller | undefined,
  address: string,
): Caller {
  if (operation.role === 'public') return caller ?? { name: '', role: 'reader', address };
  if (!caller) {
    throw new PismakError(
      'not-signed-in',
      'sign in first, or send a valid key in the header `Authorization: Bearer pk_...`',
    );
  }
  if (!hasRole(caller, operation.role)) {
    throw new PismakError(
      'forbidden',
      `${operation.name} needs the role ${operation.role}, but yours is ${caller.role}; an administrator can change that`,
    );
  }
  if (!namesOf(operation).some((name) => inScope(name, caller.scopes))) {
    throw new PismakError(
      'forbidden',
      `this key may not call ${operation.name}; its scopes are ${caller.scopes?.join(', ') || 'none'}`,
    );
  }
  return caller;
}

/** Whether a scope (a name, a prefix that ends with a dot, or `*`) covers the operation. */
export function inScope(operation: string, scopes: readonly string[] | undefined): boolean {
  return (
    scopes === undefined ||
    scopes.some(
      (scope) => scope === '*' || scope === operation || (scope.endsWith('.') && operation.startsWith(scope)),
    )
  );
}
