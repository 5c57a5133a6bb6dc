/** The header that names the owner of a message: the user whose work it is. Foreign producers may leave it out. */
export const ownerHeader = 'pismak-owner';

/** The owner of a message; '' if it names none. Messages without an owner count as one owner's. */
export function ownerOf({ headers }: { headers: Readonly<Record<string, string>> }): string {
  return headers[ownerHeader] ?? '';
}
