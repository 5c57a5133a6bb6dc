import { domainToASCII } from 'node:url';
import { z } from 'zod';
import { PismakError } from '../../engine/ground/errors.ts';

/** Name and address, as headers show them: `Anna Nováková <anna@example.org>`. */
export interface Contact {
  name?: string | undefined;
  address: string;
}

/**
 * Both parts may have letters of any script, but no characters that end a command or a header (CR, LF, NUL, white space,
 * quotes, brackets) and no lone surrogates, which databases refuse. Quoted local parts are refused: nobody uses them.
 */
const allowed = /^[^\s\p{Cc}\p{Cs}<>()[\],;:"\\@]+$/u;
const longestAddress = 254;
const longestLocalPart = 64;
const longestName = 200;

/** Checks an address, and lower-cases its domain. Fails with `invalid-input` that says what is wrong. */
export function checkAddress(text: string): string {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, at);
  const domain = text.slice(at + 1);
  const fault =
    at < 1
      ? 'has no @ between a name and a domain'
      : !allowed.test(local) || local.startsWith('.') || local.endsWith('.') || local.includes('..')
        ? 'has characters before the @ that no address may have'
        : Buffer.byteLength(local) > longestLocalPart
          ? `has more than ${longestLocalPart} bytes before the @`
          : Buffer.byteLength(text) > longestAddress
            ? `is longer than ${longestAddress} bytes`
            : !isDomain(domain)
              ? 'has no valid domain after the @'
              : undefined;
  if (fault) throw new PismakError('invalid-input', `${shown(text)} is not a mail address: it ${fault}`);
  return `${local}@${domain.toLowerCase()}`;
}

/** Reads `anna@example.org` and `Anna <anna@example.org>`. */
export function parseContact(text: string): Contact {
  // A single expression took cubic time on blanks.
  const line = trimmed(text);
  const bracket = line.lastIndexOf('<');
  const address = line.endsWith('>') ? line.slice(bracket + 1, -1) : undefined;
  if (bracket < 0 || address === undefined || address.includes('>')) return { address: checkAddress(line) };
  return checkContact({ name: unquoted(trimmed(line.slice(0, bracket))), address });
}

export function checkContact({ name, address }: Contact): Contact {
  const checked = checkAddress(trimmed(address));
  if (name === undefined || name.trim() === '') return { address: checked };
  if (/\p{Cc}/u.test(name))
    throw new PismakError(
      'invalid-input',
      `the name ${shown(name)} contains a line break or control character`,
    );
  if (name.length > longestName)
    throw new PismakError(
      'invalid-input',
      `the name ${shown(name)} is longer than ${longestName} characters`,
    );
  return { name: name.trim(), address: checked };
}

/** The address for SMTP: its domain in ASCII. A non-ASCII local part stays, and needs SMTPUTF8. */
export function wireAddress(address: string): string {
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  return isAscii(domain) ? address : `${address.slice(0, at)}@${domainToASCII(domain)}`;
}

/** The same for all spellings of a mailbox. The standard makes local parts case-sensitive; no provider does. */
export function addressKey(address: string): string {
  return wireAddress(address).toLowerCase();
}

export function domainOf(address: string): string {
  return wireAddress(address).slice(address.lastIndexOf('@') + 1);
}

export function isAscii(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what ASCII is
  return /^[\x00-\x7f]*$/.test(text);
}

/** A contact in operations, files and messages: one line of text, or name and address apart. */
export const contact = z
  .union([
    z.string().max(2 * longestAddress),
    z.strictObject({ name: z.string().optional(), address: z.string().max(longestAddress) }),
  ])
  .transform((given, context): Contact => {
    try {
      return typeof given === 'string' ? parseContact(given) : checkContact(given);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
      return z.NEVER;
    }
  });

/** As `parseContact` reads it. */
export function formatContact({ name, address }: Contact): string {
  if (name === undefined) return address;
  const isQuoted = /^".*"$/.test(name);
  return `${isQuoted ? `"${name.replaceAll(/["\\]/g, '\\$&')}"` : name} <${address}>`;
}

/** Checked domains are cached: most addresses share a few, and a domain costs as much as the rest of the address. */
const validDomains = new Set<string>();
const mostDomains = 1000;

function isDomain(domain: string): boolean {
  if (validDomains.has(domain)) return true;
  if (!hasDomainForm(domain)) return false;
  if (validDomains.size >= mostDomains) validDomains.clear();
  validDomains.add(domain);
  return true;
}

function hasDomainForm(domain: string): boolean {
  if (!allowed.test(domain)) return false;
  const ascii = domainToASCII(domain);
  return /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i.test(
    ascii,
  );
}

/** Trims blanks, but not line breaks: they may hide an injected header, so the address must be refused. */
function trimmed(text: string): string {
  let from = 0;
  let end = text.length;
  while (from < end && isBlank(text, from)) from += 1;
  while (end > from && isBlank(text, end - 1)) end -= 1;
  return text.slice(from, end);
}

function isBlank(text: string, at: number): boolean {
  const character = text[at];
  return character === ' ' || character === '\t';
}

function unquoted(name: string): string {
  const [, inside] = /^"(.*)"$/s.exec(name) ?? [];
  return inside === undefined ? name : inside.replaceAll(/\\(.)/g, '$1');
}

function shown(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}...` : text);
}
