import { type Callable, type Caller, hasRole } from '../ground/caller.ts';
import { PismakError } from '../ground/errors.ts';
import { sayRefusal } from '../ground/refusals.ts';
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
    return new PismakError('not-signed-in', sayRefusal('refused.not-signed-in', {}));
  }
  if (!hasRole(caller, operation.role)) {
    const { name, role: needed } = operation;
    return new PismakError(
      'forbidden',
      sayRefusal('refused.role', { operation: name, needed, role: caller.role }),
    );
  }
  if (!namesOf(operation).some((name) => inScope(name, caller.scopes))) {
    const scopes = caller.scopes ?? [];
    return new PismakError('forbidden', sayRefusal('refused.scope', { operation: operation.name, scopes }));
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
