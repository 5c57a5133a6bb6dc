import type { Command } from 'commander';
import { PismakError } from '../../engine/ground/errors.ts';
import { sleep } from '../../engine/time/clock.ts';
import { collect } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { laterMoment, type Moment, timeHelp } from '../../terminal/options/moment.ts';
import type { Session } from '../../terminal/session.ts';
import type { Shell } from '../../terminal/shell.ts';
import { mailSend, mailShow } from '../operations/mail.ts';
import { attachFiles } from './attach-files.ts';

interface SendOptions {
  at?: Moment;
  attach?: string[];
  /** The value of `--data` if it is JSON: the same option names the data directory. */
  dataGiven?: string;
  wait?: boolean;
}

const underWay = new Set(['waiting', 'sending', 'deferred']);
const firstPauseMs = 20;
const longestPauseMs = 1000;
const patienceMs = 5000;

export function addSend(group: Command, shell: Shell): void {
  operationCommands(group, shell)(mailSend, {
    usage: 'send <type>',
    fields: {
      attachments: false,
      data: {
        flags: '--values <json>',
        about: 'values for the template; `--data` takes them too, if they begin with {',
      },
      key: { flags: '--idempotency-key <key>' },
      at: false,
    },
    examples: [`mail send order --to anna@example.org --data '{"number": 7}' --attach invoice.pdf --wait`],
    async complete(session) {
      const { at, attach = [], dataGiven } = session.options as SendOptions;
      const data = {
        ...(dataGiven !== undefined && { data: parseData(dataGiven) }),
        ...(at && { at: at(session.clock.now()) }),
      };
      if (attach.length === 0) return data;
      return { ...data, attachments: await attachFiles(session, attach) };
    },
    say: ({ id }) => id,
    async follow({ id }, session) {
      const { alone } = await session.client();
      if (alone)
        session.stderr.write('Pismak is not running here; the mail waits until you start `pismak up`\n');
      else if ((session.options as SendOptions).wait) await waitFor(session, id);
    },
  })
    .option('--at <time>', `do not send it before this time: ${timeHelp}`, laterMoment)
    .option('--attach <file>', 'attach a file; may be repeated', collect)
    .option('--wait', 'wait until a relay has taken the mail, or it has failed');
}

function parseData(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new PismakError('invalid-input', `--data is not JSON: ${(error as Error).message}`);
  }
}

/** Waits for the end of a mail. Fails unless it was sent. */
async function waitFor({ client, clock, out, signal, stderr }: Session, mail: string): Promise<void> {
  let told = '';
  const since = clock.now();
  let isTold = false;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    const { state, answer, relay } = await (await client()).call(mailShow, { mail });
    if (!underWay.has(state)) {
      if (state !== 'sent') throw new PismakError('conflict', `mail ${mail} ${isOrHas(state)}: ${answer}`);
      if (!out.json) out.say(`sent to ${relay}: ${answer}`);
      return;
    }
    if (state === 'deferred' && answer !== told) stderr.write(`not yet: ${answer}\n`);
    told = state === 'deferred' ? answer : told;
    if (state !== 'deferred' && !isTold && clock.now() - since > patienceMs) {
      stderr.write('still waiting; `pismak mail relay ls` and `pismak mail queue` show why\n');
      isTold = true;
    }
    await sleep(clock, pauseMs, signal);
    signal.throwIfAborted();
  }
}

/** `failed`, but `is suppressed`. */
function isOrHas(state: string): string {
  return state === 'failed' || state === 'bounced' ? state : `is ${state}`;
}
