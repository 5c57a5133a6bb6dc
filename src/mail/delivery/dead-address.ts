/** The mailbox or the domain does not exist, or was disabled. */
const deadCode = /^5\.1\.(1|2|3|6|10)$|^5\.2\.1$/;

/** Does this enhanced status code (RFC 3463) say that the address will never work? */
export function isDeadCode(enhanced: string): boolean {
  return deadCode.test(enhanced);
}
