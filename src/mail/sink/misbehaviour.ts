import { PismakError } from '../../engine/ground/errors.ts';
import type { Random } from '../../engine/ground/identity.ts';

/** The steps of a dialogue, in order. `end`: after the final dot, before its reply. */
export const sinkSteps = ['connect', 'ehlo', 'auth', 'mail', 'rcpt', 'data', 'body', 'end'] as const;
export type SinkStep = (typeof sinkSteps)[number];

/** One misbehaviour of a sink. */
export type Misdeed = { kind: 'reply'; line: string } | { kind: 'cut' } | { kind: 'wait'; ms: number };

export interface Misbehaviour {
  step: SinkStep;
  misdeed: Misdeed;
  /** Probability, from 0 to 1. */
  share: number;
  /** Applies to recipients that contain this text. */
  recipient?: string | undefined;
}

const form = /^(cut|wait\d+|[45]\d\d)@([a-z]+)(?::(\d+(?:\.\d+)?)%)?(?:=(.+))?$/;

/** Reads `450@rcpt:5%`, `cut@end`, `wait500@data`, `550@rcpt=nobody@`. */
export function parseMisbehaviour(text: string): Misbehaviour {
  const [, what = '', where, percent, recipient] = form.exec(text) ?? [];
  const step = sinkSteps.find((one) => one === where);
  if (!step)
    throw new PismakError(
      'invalid-input',
      `${JSON.stringify(text)} must look like 450@rcpt:5%, 550@rcpt=nobody@, cut@end or wait500@data; the places are ${sinkSteps.join(', ')}`,
    );
  const misdeed: Misdeed =
    what === 'cut'
      ? { kind: 'cut' }
      : what.startsWith('wait')
        ? { kind: 'wait', ms: Number(what.slice(4)) }
        : { kind: 'reply', line: `${what} ${enhanced(what)} as you wished` };
  return { step, misdeed, share: percent === undefined ? 1 : Number(percent) / 100, recipient };
}

/** The first misdeed due at this step. */
export function misdeedAt(
  all: readonly Misbehaviour[],
  at: { step: SinkStep; recipient: string },
  random: Random,
): Misdeed | undefined {
  return all.find(
    ({ step, share, recipient }) =>
      step === at.step &&
      (recipient === undefined || at.recipient.includes(recipient)) &&
      (share >= 1 || random() < share),
  )?.misdeed;
}

function enhanced(code: string): string {
  if (code === '421') return '4.3.2';
  return code === '550' ? '5.1.1' : `${code[0]}.0.0`;
}
