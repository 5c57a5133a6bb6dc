import { type Callable, type Caller, hasRole } from '../ground/caller.ts';
import { PismakError } from '../ground/errors.ts';
import { namesOf } from './operation.ts';

/** Refuses callers that may not call the operation with any input. Returns the caller. */
export function authorise(operation: Callable, caller: Caller | undefined, address: string): Caller {
  const refusal = refusalOf(operation, caller);
  if (refusal) throw refusal;
  return caller ?? { name: '', role: 'reader', address };
}

/** Whether `authorise` lets the caller pass. */
export function mayCall(operation: Callable, caller: Caller): boolean {
  return refusalOf(operation, caller) === undefined;
}

function refusalOf(operation: Callable, caller: Caller | undefined): PismakError | undefined {
  if (operation.role === 'public') return undefined;
  if (!caller) {
    return new PismakError(
      'not-signed-in',
      'sign in first, or send a valid key in the header `Authorization: Bearer pk_...`',
    );
  }
  if (!hasRole(caller, operation.role)) {
    return new PismakError(
      'forbidden',
      `${operation.name} needs the role ${operation.role}, but yours is ${caller.role}; an administrator can change that`,
    );
  }
  if (!namesOf(operation).some((name) => inScope(name, caller.scopes))) {
    return new PismakError(
      'forbidden',
      `this key may not call ${operation.name}; its scopes are ${caller.scopes?.join(', ') || 'none'}`,
    );
  }
  return undefined;
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
