import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '../../src/engine/ground/identity.ts';
import { type AttackFigures, fault, type Orders } from './attack-figures.ts';
import { pick } from './hostile-inputs.ts';
import { NoReply, send, type Visitor } from './target.ts';

const endless =
  '{% for a in (1..9999) %}{% for b in (1..9999) %}{% for c in (1..9999) %}{{ c }}{% endfor %}{% endfor %}{% endfor %}';

/** Mails that are expensive to store, to render or to deliver. `order` leaves through a good relay, `news` through a hostile one. */
const hostileMails: (() => object)[] = [
  () => ({ type: 'order', subject: endless }),
  () => ({ type: 'order', subject: '{{ number | append: number | append: number }}' }),
  () => ({ type: 'order', data: { items: Array.from({ length: 20_000 }, (_, n) => n) } }),
  () => ({ type: 'order', data: { name: 'x'.repeat(200_000), items: ['<b>'.repeat(10_000)] } }),
  () => ({ type: 'order', fields: { more: 'x'.repeat(480_000) } }),
  () => ({ type: 'news', data: { name: '\u202e\u0000\r\nBcc: thief@example.org' } }),
  () => ({ type: 'news', bcc: Array.from({ length: 20 }, (_, n) => `copy${n}@example.org`) }),
  () => ({ type: 'news', subject: '=?utf-8?q?x?='.repeat(60) }),
];

/** Users who send hostile mails until the other attacks are over, each a few in a second. */
export async function sendMails(
  orders: Orders,
  figures: AttackFigures,
  random: Random,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(
    orders.mailers.map(async (mailer) => {
      while (!signal.aborted) {
        await sendMail(orders.url, mailer, figures, random);
        await wait(300);
      }
    }),
  );
}

async function sendMail(url: string, mailer: Visitor, figures: AttackFigures, random: Random): Promise<void> {
  const mail = { to: `${mailer.name}@example.org`, ...pick(random, hostileMails)() };
  try {
    const { status, text } = await send(url, mailer, {
      method: 'POST',
      path: '/api/v1/mail/send',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(mail),
    });
    if (status === 200) figures.mails.sent++;
    else figures.mails.refused++;
    if (status >= 500 && status !== 503 && status !== 507) fault(figures, `mail.send: ${status} ${text}`);
  } catch (error) {
    if (!(error instanceof NoReply)) throw error;
    if (error.hung) fault(figures, `mail.send hung: ${error.message}`);
  }
}
