/** A group of operations with the same beginning: `document.`. As a scope of a key it stands for all of them. */
export interface Family {
  scope: string;
  operations: readonly string[];
}

/** The operations by their beginning, in the order of names. */
export function familiesOf(operations: readonly string[]): Family[] {
  const families = Map.groupBy(operations.toSorted(), (name) => name.slice(0, name.indexOf('.') + 1));
  return [...families].map(([scope, members]) => ({ scope, operations: members }));
}

/** Ticks or unticks a family or one operation; a whole family is one scope. */
export function toggleScope(scopes: readonly string[], scope: string, families: readonly Family[]): string[] {
  const family = families.find((one) => scope.startsWith(one.scope));
  if (!family) return [...scopes];
  const others = scopes.filter((one) => !one.startsWith(family.scope));
  if (scope === family.scope) return scopes.includes(scope) ? others : [...others, scope];
  const single = new Set(
    scopes.includes(family.scope) ? family.operations : scopes.filter((one) => one.startsWith(family.scope)),
  );
  if (!single.delete(scope)) single.add(scope);
  return [...others, ...(single.size === family.operations.length ? [family.scope] : single)];
}

/** Whether these scopes allow the operation. */
export function allows(scopes: readonly string[], operation: string): boolean {
  return scopes.some((scope) => (scope.endsWith('.') ? operation.startsWith(scope) : operation === scope));
}
