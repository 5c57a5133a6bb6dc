import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { sleep } from '../../engine/time/clock.ts';
import { numberBetween } from '../../terminal/options/option-values.ts';
import { formatCount } from '../../terminal/output/format.ts';
import type { Session } from '../../terminal/session.ts';
import type { Shell } from '../../terminal/shell.ts';
import { campaignCreate, campaignShow, campaignStart } from '../operations/campaign.ts';
import { mailSend, mailShow } from '../operations/mail.ts';
import { typeCreate } from '../operations/type.ts';
import { openSink, type ReceivedMail } from '../sink/sink.ts';

const frame = (inside: string) => `<mjml>
<mj-body>
<mj-section>
<mj-column>
${inside}
</mj-column>
</mj-section>
</mj-body>
</mjml>
`;

const orderTemplate = frame(`<mj-text font-size="20px">Thank you for order {{ number }}, {{ name }}.</mj-text>
<mj-raw>{% for book in books %}</mj-raw>
<mj-text>{{ book }}</mj-text>
<mj-raw>{% endfor %}</mj-raw>
<mj-button href="{{ mail.onlineUrl }}">Show this mail online</mj-button>`);

const newsletterTemplate = frame(`<mj-text font-size="20px">Dobrý den, {{ name }}!</mj-text>
<mj-text>Na jaro jsme pro vás vybrali deset knih, které vás překvapí.</mj-text>
<mj-button href="{{ mail.onlineUrl }}">Zobrazit na webu</mj-button>
<mj-text><a href="{{ mail.unsubscribeUrl }}">Odhlásit odběr</a></mj-text>`);

const pauseMs = 20;
/** The demo must not use the servers of the settings, where real senders would take its mails. */
const embedded = { broker: 'sqlite:', coordination: 'embedded:', database: 'sqlite:', blobs: 'directory:' };

export function addDemo(group: Command, { command, run }: Shell): void {
  command(
    group,
    'demo',
    'See it work: a sink, a campaign, and an order that overtakes it. Leaves nothing behind',
    'mail demo',
    'mail demo --recipients 1000',
  )
    .option('--recipients <count>', 'size of the campaign', numberBetween(1, 10_000_000), 10_000)
    .action(run<{ recipients: number }>(demonstrate));
}

async function demonstrate(session: Session<{ recipients: number }>): Promise<void> {
  const { out, options, signal } = session;
  const received: { at: number; mail: ReceivedMail }[] = [];
  const sink = await openSink({ onMail: (mail) => received.push({ at: performance.now(), mail }) });
  const data = await mkdtemp(join(tmpdir(), 'pismak-mail-demo-'));
  const loaded = await session.settings();
  const relays = [{ url: `smtp://127.0.0.1:${sink.port}`, connections: 10 }];
  // The type of the settings does not know the sections of houses.
  const settings = { ...loaded.settings, data, ...embedded, mail: { relays } } as typeof loaded.settings;
  const client = await session.openWork({ settings, purpose: 'pismak mail demo', workers: 0 });
  try {
    out.say(`a sink takes mails at smtp://127.0.0.1:${sink.port}`);
    const sender = 'Pismak Books <books@example.org>';
    await client.call(typeCreate, {
      code: 'order',
      sender,
      subject: 'Order {{ number }}',
      template: orderTemplate,
    });
    await client.call(typeCreate, {
      code: 'news',
      sender,
      subject: 'Spring books for {{ name }}',
      template: newsletterTemplate,
      class: 'bulk',
    });
    const { hash } = await client.upload(people(options.recipients));
    await client.call(campaignCreate, { name: 'spring', type: 'news', audience: [`csv:${hash}`] });
    const startedAt = performance.now();
    await client.call(campaignStart, { campaign: 'spring' });
    out.say(`a campaign to ${formatCount(options.recipients, 'person', 'people')} has started`);
    while (received.length === 0 && !signal.aborted) await sleep(session.clock, pauseMs, signal);

    const orderedAt = performance.now();
    const { id } = await client.call(mailSend, {
      type: 'order',
      to: 'Anna Nováková <anna@example.org>',
      data: { number: 7, name: 'Anna', books: ['Babička', 'R.U.R.'] },
    });
    const isOrder = ({ mail }: { mail: ReceivedMail }) => mail.to[0] === 'anna@example.org';
    while (!received.some(isOrder) && !signal.aborted) await sleep(session.clock, pauseMs, signal);
    const order = received.find(isOrder);
    const behind = options.recipients - received.filter(({ at }) => at < (order?.at ?? 0)).length;
    out.say(
      `an order confirmation was sent meanwhile: ${Math.round((order?.at ?? 0) - orderedAt)} ms, past ${behind} newsletters that waited`,
    );

    const bar = session.progress('mails', options.recipients);
    let shown = await client.call(campaignShow, { campaign: 'spring' });
    while (shown.state === 'running' && !signal.aborted) {
      bar.set(shown.mails.sent ?? 0, options.recipients);
      await sleep(session.clock, 10 * pauseMs, signal);
      shown = await client.call(campaignShow, { campaign: 'spring' });
    }
    signal.throwIfAborted();
    bar.set(shown.mails.sent ?? 0, options.recipients);
    bar.close();
    const seconds = ((received.at(-1)?.at ?? startedAt) - startedAt) / 1000;
    const { state, answer } = await client.call(mailShow, { mail: id });
    const result = {
      sent: shown.mails.sent ?? 0,
      recipients: options.recipients,
      seconds: Number(seconds.toFixed(1)),
      perSecond: Math.round((shown.mails.sent ?? 0) / seconds),
    };
    if (out.json) return out.object(result);
    out.say(
      `${result.sent} of ${result.recipients} newsletters sent in ${result.seconds} s: ${result.perSecond} a second`,
    );
    out.say(`the order is ${state}: ${answer}`);
    out.text(`${order?.mail.content.toString('utf8').split('\r\n').slice(0, 30).join('\n')}\n...\n`);
  } finally {
    await client.close();
    await sink.close();
    await rm(data, { recursive: true, force: true });
  }
}

async function* people(count: number): AsyncGenerator<Uint8Array> {
  yield Buffer.from('email,name\n');
  for (let start = 0; start < count; start += 1000) {
    const lines = Array.from(
      { length: Math.min(1000, count - start) },
      (_, index) => `reader${start + index}@example.org,Čtenář ${start + index}\n`,
    );
    yield Buffer.from(lines.join(''));
  }
}
