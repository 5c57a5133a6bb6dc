/** A password that nobody will ever type: 256 random bits. */
export function unguessable(): string {
  const random = crypto.getRandomValues(new Uint8Array(32));
  return [...random].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
