import { isDeadCode } from '../smtp/outcome.ts';

/** What counts is at the beginning. */
const longestAnswer = 2000;

const noSuchAddress = [
  /\b(user|recipient|mailbox|account|address|addressee|host|domain)( name)?( is)? unknown\b/,
  /\bunknown (or illegal )?(user|recipient|mailbox|account|address|host|domain|alias)\b/,
  /\bno (such|valid) (user|recipient|mailbox|account|address|domain|person|host|local user|virtual user)/,
  /\b(does|do|did)( not|n't) exist\b|\bno longer (exists|valid|in use|available)\b|\buser not exist\b/,
  /(?<!\w)(user|recipient|mailbox|account|address|recipnotfound|recipientnotfound)(?!\w).{0,60}(?<!\w)not (be )?(found|known|recognized|listed|exist)/,
  /\b(invalid|bad|undeliverable|unrouteable|unroutable) (recipient|mailbox|address|user)\b|\bno mailbox here by that name\b/,
  /\bnot a (valid|known) (user|recipient|mailbox|address)\b|\bno mx record found\b|\bhost (or domain name )?not found\b/,
  // Yahoo; domains without a mail exchanger; Exchange Online, which says this about unknown users.
  /\buser doesn't have an? \S+ account\b|\bdoes not accept mail\b|\bcouldn't find a mail exchanger\b/,
  // linear: at most 2,000 characters (longestAnswer)
  /\b5\.4\.1 .{0,300}recipient address rejected: access denied\b/,
  /\b(recipient|user|mailbox|account)( address)? (has been |was )?(deleted|closed|removed|discontinued)\b/,
];
/** These words refer to this mail, its sender or a passing state, and win over the patterns above. */
const somethingElse =
  /\b(full|quota|storage|spam|ube|virus|block(ed|list\w*)?|black ?list\w*|spamhaus|polic(y|ies)|reputation|too (large|many|big)|greylist\w*|dmarc|dkim|spf|senders?|rate|relay(ing)?|temporar\w*|locked|frozen|procmail|expired|time(d )?out|try again)\b/;
const isSendersCode = /^5\.1\.[78]$/;
const enhancedCode = /\b([45])\.\d{1,3}\.\d{1,3}\b/g;

/**
 * Whether a server's answer means that the address will never work. Full mailboxes, suspected spam and policies get 5xx as
 * well; those people still get their next mail.
 */
export function isDeadAddress(given: string, status = ''): boolean {
  const answer = given.slice(0, longestAnswer);
  // Relays often say 5.0.0 or 5.1.0 themselves, and quote the last server's code after it.
  const code = [...answer.matchAll(enhancedCode)].map(([each]) => each).at(-1) ?? status;
  const words = answer.toLowerCase().replaceAll(/\s+/g, ' ').replace('unknown address error', '');
  if (code.startsWith('4') || isSendersCode.test(code) || somethingElse.test(words)) return false;
  return isDeadCode(code) || noSuchAddress.some((pattern) => pattern.test(words));
}
