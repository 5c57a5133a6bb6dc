import { setTimeout as wait } from 'node:timers/promises';
import { hasCode } from '../../src/engine/ground/errors.ts';
import { mailsInFlight } from '../../src/mail/delivery/run-senders.ts';
import { openSink } from '../../src/mail/index.ts';
import { campaignShow } from '../../src/mail/operations/campaign.ts';
import { commands, RunningPismak } from '../running-pismak.ts';

export interface MailKillFigures {
  kills: number;
  /** People in the audience, each with an address of its own. */
  recipients: number;
  /** Mails that the relay has accepted. */
  accepted: number;
  /** People who got none. */
  lost: number;
  /** Mails whose header names somebody else than their envelope, or nobody of the audience. */
  wrong: number;
  /** Mails beyond the first to the same person. */
  duplicates: number;
  /** What Pismak says about them: mails that a killed sender had in its hands. */
  counted: number;
  /** More than this can't have been with relays, or have waited for their answers to be stored. */
  inFlight: number;
  /** More than this can't have been in the hands of the killed senders together. */
  inHand: number;
  seconds: number;
}

/** Of a sender to its relay. */
export const connections = 10;

/** A relay that knows whom it has accepted mails for, and that each is for the one it names. */
export async function openWatchedSink() {
  const accepted = new Map<string, number>();
  let wrong = 0;
  const sink = await openSink({
    onMail({ to, content }) {
      const [recipient = ''] = to;
      const head = content.toString('latin1', 0, content.indexOf('\r\n\r\n'));
      const named = /^To: (.*)$/m.exec(head)?.[1]?.trim();
      if (named !== recipient || to.length !== 1 || !/^p\d+@example\.org$/.test(recipient)) wrong++;
      accepted.set(recipient, (accepted.get(recipient) ?? 0) + 1);
    },
  });
  return {
    accepted,
    port: sink.port,
    close: () => sink.close(),
    figures(recipients: number) {
      const all = [...accepted.values()].reduce((sum, count) => sum + count, 0);
      const lost = recipients - accepted.size;
      return { accepted: all, wrong, lost, duplicates: all - accepted.size };
    },
  };
}

/**
 * Kills Pismak with SIGKILL again and again while it generates and sends a campaign, and compares what a relay of another
 * process has accepted with what Pismak says about it.
 */
export async function surviveMailKills(options: {
  directory: string;
  kills: number;
  recipients: number;
  /** How long a process lives at most before it is killed. */
  lifeMs: number;
  say: (line: string) => void;
}): Promise<MailKillFigures> {
  const { kills, recipients, say } = options;
  const startedAt = performance.now();
  const watched = await openWatchedSink();
  const { accepted } = watched;
  const pismak = new RunningPismak(
    options.directory,
    { 'mail.relays': `smtp://127.0.0.1:${watched.port}`, 'worker.count': 1 },
    commands.up,
  );
  try {
    await pismak.start();
    const type = { code: 'news', sender: 'shop@example.org', subject: 'News for {{ name }}', class: 'bulk' };
    await pismak.call('mailtype.create', { ...type, template: '<p>Dobrý den, {{ name }}</p>' });
    const lines = Array.from({ length: recipients }, (_, index) => `p${index}@example.org,Jméno ${index}\n`);
    const client = pismak.client();
    const { hash } = await client.upload(chunks(`email,name\n${lines.join('')}`));
    await client.close();
    await pismak.call('campaign.create', { name: 'all', type: 'news', audience: [`csv:${hash}`] });
    await pismak.call('campaign.start', { campaign: 'all' });
    for (let kill = 1; kill <= kills; kill++) {
      await wait(Math.random() * options.lifeMs);
      const healthyMs = await pismak.restart();
      say(
        `kill ${kill} of ${kills}: ${accepted.size} people have their mail; healthy again after ${Math.round(healthyMs)} ms`,
      );
    }
    const last = await ended(pismak);
    await pismak.stop();
    return {
      kills,
      recipients,
      ...watched.figures(recipients),
      counted: last.mayBeTwice + last.unknown,
      inFlight: kills * mailsInFlight(connections),
      inHand: kills * 2 * mailsInFlight(connections),
      seconds: Math.round((performance.now() - startedAt) / 1000),
    };
  } finally {
    await pismak.kill();
    await watched.close();
  }
}

async function ended(pismak: RunningPismak) {
  const client = pismak.client();
  try {
    for (;;) {
      // On a crowded machine, right after a start, an answer may take too long; asking again is right.
      const shown = await client.call(campaignShow, { campaign: 'all' }).catch((error) => {
        if (!hasCode(error, 'took-too-long')) throw error;
      });
      if (shown && shown.state !== 'running') return shown;
      await wait(250);
    }
  } finally {
    await client.close();
  }
}

async function* chunks(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
