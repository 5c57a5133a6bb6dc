export const longestKey = 200;

/**
 * Whether a text can name an entity or a user. Databases would store half a surrogate pair as another character, so that two keys
 * became one; PostgreSQL takes no NUL.
 */
export function isKey(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    value.length <= longestKey &&
    !value.includes('\0') &&
    value.isWellFormed()
  );
}
