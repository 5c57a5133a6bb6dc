/** Whether the operating system gave one of these codes: `isSystemError(error, 'ENOENT')`. */
export function isSystemError(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
