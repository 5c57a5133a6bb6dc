import type { Random } from '../../engine/ground/identity.ts';
import type { MailClass, MailSettings } from '../settings/settings.ts';
import { isDeadCode, type SmtpOutcome } from '../smtp/outcome.ts';
import type { MailToSend } from './mail-source.ts';
import type { MailResult } from './record-results.ts';

export type Verdict = Pick<MailResult, 'state' | 'attempts' | 'unknowns' | 'answer'> &
  Partial<Pick<MailResult, 'retryAt' | 'isReturned' | 'isPaused' | 'suppress'>>;

const longestPauseMs = 4 * 3_600_000;

/** The mail goes back unchanged. */
export const returned = { state: 'waiting', attempts: 0, unknowns: 0, answer: '', isReturned: true } as const;

/** Mails that must not be sent at all. */
export function judgeBefore(
  mail: Pick<MailToSend, 'isSuppressed' | 'isCancelled' | 'notAfter' | 'campaignState'>,
  now: number,
): Verdict | undefined {
  const none = { attempts: 0, unknowns: 0 } as const;
  if (mail.isSuppressed) return { ...none, state: 'suppressed', answer: 'the address is suppressed' };
  if (mail.isCancelled) return { ...none, state: 'cancelled', answer: 'cancelled' };
  if (mail.campaignState === 'cancelled')
    return { ...none, state: 'cancelled', answer: 'the campaign was cancelled' };
  if (mail.campaignState === 'paused') return { ...returned, retryAt: now, isPaused: true };
  if (mail.notAfter < now)
    return { ...none, state: 'expired', answer: 'its time to live was over before it could be sent' };
  return undefined;
}

/** What a relay's answer means for a mail. The only place that decides this. */
export function judge(
  mail: Pick<MailToSend, 'attempts' | 'notAfter' | 'destination' | 'createdAt'>,
  outcome: SmtpOutcome,
  {
    now,
    random,
    settings,
    mailClass,
  }: { now: number; random: Random; settings: MailSettings; mailClass: MailClass },
): Verdict {
  const { answer } = outcome;
  const attempts = 1;
  const later = (unknowns: 0 | 1): Verdict => {
    if (mail.attempts + 1 >= settings.attempts)
      return {
        state: 'failed',
        attempts,
        unknowns,
        answer: `given up after ${mail.attempts + 1} attempts: ${answer}`,
      };
    const retryAt = now + pauseMs(settings.retryMs, mail.attempts, random);
    if (retryAt > mail.notAfter)
      return {
        state: 'expired',
        attempts,
        unknowns,
        answer: `its time to live ends before the next attempt: ${answer}`,
      };
    return { state: 'deferred', attempts, unknowns, answer, retryAt };
  };
  switch (outcome.kind) {
    case 'sent':
      return { state: 'sent', attempts, unknowns: 0, answer };
    case 'failed':
      return {
        state: 'failed',
        attempts,
        unknowns: 0,
        answer,
        ...(isDeadCode(outcome.enhanced ?? '') && { suppress: mail.destination }),
      };
    case 'early':
      return { ...returned, retryAt: mail.createdAt };
    case 'unknown':
      return mailClass.onUnknown === 'resend'
        ? later(1)
        : { state: 'unknown', attempts, unknowns: 1, answer };
    default:
      return later(0);
  }
}

/**
 * Doubles with each attempt. Up to a quarter more or less by chance, so that mails do not all return at once when a relay
 * recovers.
 */
export function pauseMs(first: number, attempts: number, random: Random): number {
  const longest = Math.min(first * 2 ** Math.min(attempts, 30), longestPauseMs);
  return Math.round(longest * (0.75 + random() / 2));
}
