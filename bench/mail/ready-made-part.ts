import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { createTransport } from 'nodemailer';
import { systemClock } from '../../src/engine/time/clock.ts';
import { buildMessage } from '../../src/mail/mime/build-message.ts';
import { buildSkeleton } from '../../src/mail/mime/skeleton.ts';
import { Relays } from '../../src/mail/relays/relays.ts';
import { compileTemplate } from '../../src/mail/templates/compile.ts';
import { newsType } from './mails.ts';

export const usualRelay = { weight: 1, connections: 10, perSecond: 0, perSecondAndDomain: 0, classes: [] };
const from = { name: 'Knihy', address: 'knihy@example.org' };
const smtpSource = '/usr/sbin/smtp-source';

/** One of the mails as bytes, and what renders others like it. */
export async function makeReady() {
  const template = await compileTemplate({ ...newsType, translations: {}, text: undefined }, 'cs');
  const render = (index: number) =>
    template.render({
      name: `Žofie Čtenářová ${index}`,
      price: 100,
      mail: { onlineUrl: `https://example.org/m/${index}` },
    });
  const content = template.encode({ name: 'Žofie Čtenářová 1', price: 100, mail: { onlineUrl: '' } });
  const parts = { id: 'one', from, to: { address: 'a@example.org' }, content, language: 'cs' };
  const message = await buildMessage(
    { ...parts, createdAt: Date.now(), isBulk: true },
    await buildSkeleton([]),
    undefined,
  );
  return { message, from, render };
}

/** What the same mails cost without any queue: the limit of the wire, and what a program without Pismak would use. */
export async function sendReadyMade({ mails, url, alone }: { mails: number; url: string; alone: boolean }) {
  const { message, render } = await makeReady();
  const { hostname, port } = new URL(url);
  const source =
    existsSync(smtpSource) && !alone
      ? await rate(1, 1, async () => {
          const sizes = ['-s', '10', '-l', String(message.length), '-m', String(mails)];
          await promisify(execFile)(smtpSource, [...sizes, `${hostname}:${port}`]);
        })
      : 0;
  const relays = new Relays([{ ...usualRelay, url }], { clock: systemClock });
  const job = { className: 'bulk', lane: 'normal', message } as const;
  const clientPerSecond = await rate(mails, 100, async (index) => {
    const envelope = { from: from.address, to: `a${index}@example.org` };
    const { kind } = await relays.send({ ...job, envelope });
    if (kind !== 'sent') throw new Error(kind);
  });
  await relays.close();

  const ours = { mails, bytes: message.length, 'our client, ready-made, a second': clientPerSecond };
  if (alone) return ours;
  const pool = createTransport({
    pool: true,
    host: hostname,
    port: Number(port),
    maxConnections: 10,
    ignoreTLS: true,
  });
  const nodemailerPerSecond = await rate(Math.min(mails, 3000), 100, async (index) => {
    const { subject, html, text } = render(index);
    await pool.sendMail({ from, to: `a${index}@example.org`, subject, html, text });
  });
  pool.close();
  return {
    ...ours,
    'smtp-source, 10 sessions, a second': Math.round(source * mails),
    "nodemailer's pool, a second": nodemailerPerSecond,
  };
}

async function rate(count: number, atOnce: number, send: (index: number) => Promise<void>): Promise<number> {
  const began = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < count) await send(next++);
    }),
  );
  const perSecond = (count / (performance.now() - began)) * 1000;
  return count === 1 ? perSecond : Math.round(perSecond);
}
