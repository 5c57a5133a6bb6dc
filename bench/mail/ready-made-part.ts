import { createTransport } from 'nodemailer';
import { systemClock } from '../../src/engine/time/clock.ts';
import { buildMessage } from '../../src/mail/mime/build-message.ts';
import { buildSkeleton } from '../../src/mail/mime/skeleton.ts';
import { Relays } from '../../src/mail/relays/relays.ts';
import { compileTemplate } from '../../src/mail/templates/compile.ts';
import { newsType } from './mails.ts';

const usual = { weight: 1, connections: 10, perSecond: 0, perSecondAndDomain: 0, classes: [] };

/** What the same mails cost without any queue: the limit of the wire, and what a program without Pismak would use. */
export async function sendReadyMade(
  mails: number,
  url: string,
): Promise<{ clientPerSecond: number; nodemailerPerSecond: number }> {
  const template = await compileTemplate({ ...newsType, translations: {}, text: undefined }, 'cs');
  const skeleton = await buildSkeleton([]);
  const dataOf = (index: number) => ({
    name: `Žofie Čtenářová ${index}`,
    price: 100,
    mail: { onlineUrl: `https://example.org/m/${index}` },
  });
  const from = { name: 'Knihy', address: 'knihy@example.org' };

  const message = await buildMessage(
    {
      id: 'one',
      from,
      to: { address: 'a@example.org' },
      content: template.encode(dataOf(1)),
      language: 'cs',
      createdAt: Date.now(),
      isBulk: true,
    },
    skeleton,
    undefined,
  );
  const relays = new Relays([{ ...usual, url }], { clock: systemClock });
  const job = { className: 'bulk', lane: 'normal', message } as const;
  const clientPerSecond = await rate(mails, 100, async (index) => {
    const { kind } = await relays.send({
      ...job,
      envelope: { from: from.address, to: `a${index}@example.org` },
    });
    if (kind !== 'sent') throw new Error(kind);
  });
  await relays.close();

  const { hostname, port } = new URL(url);
  const pool = createTransport({
    pool: true,
    host: hostname,
    port: Number(port),
    maxConnections: 10,
    ignoreTLS: true,
  });
  const fewer = Math.min(mails, 3000);
  const nodemailerPerSecond = await rate(fewer, 100, async (index) => {
    const { subject, html, text } = template.render(dataOf(index));
    await pool.sendMail({ from, to: `a${index}@example.org`, subject, html, text });
  });
  pool.close();
  return { clientPerSecond, nodemailerPerSecond };
}

async function rate(count: number, atOnce: number, send: (index: number) => Promise<void>): Promise<number> {
  const began = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < count) await send(next++);
    }),
  );
  return Math.round((count / (performance.now() - began)) * 1000);
}
