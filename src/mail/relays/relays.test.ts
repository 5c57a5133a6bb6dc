import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../engine/testing/eventually.ts';
import { ManualClock, systemClock } from '../../engine/time/clock.ts';
import { parseMisbehaviour } from '../sink/misbehaviour.ts';
import { openSink, type ReceivedMail } from '../sink/sink.ts';
import { DestinationQueues } from './destination-queues.ts';
import type { RelayOptions } from './relay.ts';
import { Relays } from './relays.ts';

const message = Buffer.from('Subject: x\r\n\r\nHello\r\n');
const usual = { weight: 1, connections: 4, perSecond: 0, perSecondAndDomain: 0, classes: [] };

type Each = Partial<RelayOptions> & { misbehave?: string[]; offers?: string[] };

const start = (t: TestContext, ...each: Each[]) => startWith(t, {}, ...each);

async function startWith(
  t: TestContext,
  limits: Partial<ConstructorParameters<typeof Relays>[1]>,
  ...each: Each[]
) {
  const sinks = await Promise.all(
    each.map(async ({ misbehave = [], offers }) => {
      const received: ReceivedMail[] = [];
      const sink = await openSink({
        onMail: (mail) => received.push(mail),
        misbehave: misbehave.map(parseMisbehaviour),
        ...(offers && { offers }),
      });
      t.after(() => sink.close());
      return { sink, received };
    }),
  );
  const options = each.map(({ misbehave: _, offers: __, ...more }, index) => ({
    ...usual,
    url: `smtp://127.0.0.1:${sinks[index]?.sink.port}`,
    ...more,
  }));
  const relays = new Relays(options, { clock: systemClock, ...limits });
  t.after(() => relays.close());
  const send = (to: string, lane: 'high' | 'normal' = 'normal', className = 'bulk') =>
    relays.send({
      className,
      lane,
      envelope: { from: 'shop@example.org', to },
      message,
    });
  return { relays, sinks, send };
}

const people = (count: number) => Array.from({ length: count }, (_, index) => `p${index}@example.org`);

test('relays share mails by weight, and connections are reused', async (t) => {
  const { sinks, send } = await start(t, { weight: 3 }, {});
  for (const to of people(40)) assert.equal((await send(to)).kind, 'sent');
  assert.deepEqual(
    sinks.map(({ received }) => received.length),
    [30, 10],
  );
  for (const { sink } of sinks) assert.equal(sink.connections, 1);
});

test('on a full connection mails follow each other without waiting for answers; each gets its own', async (t) => {
  const { relays, sinks, send } = await start(t, {
    connections: 1,
    misbehave: ['554@end=p3@', '450@rcpt=p5@', '550@rcpt=p7@'],
  });
  const outcomes = await Promise.all(people(250).map((to) => send(to)));
  const others = outcomes.flatMap(({ kind }, index) => (kind === 'sent' ? [] : [`${index} ${kind}`]));
  assert.deepEqual(others, ['3 failed', '5 deferred', '7 failed']);
  assert.deepEqual(
    sinks[0]?.received.map(({ to }) => to[0]),
    people(250).filter((_, index) => ![3, 5, 7].includes(index)),
  );
  // After a hundred mails each connection is replaced.
  assert.equal(sinks[0]?.sink.connections, 3);
  assert.equal(relays.states()[0]?.sent, 247);
});

test('a cut behind the final dot is unknown for its mail; the one that followed it is sent elsewhere', async (t) => {
  const { sinks, send } = await start(t, { connections: 1, misbehave: ['cut@end=p3@'] });
  const outcomes = await Promise.all(people(20).map((to) => send(to)));
  assert.deepEqual(
    outcomes.flatMap(({ kind }, index) => (kind === 'sent' ? [] : [`${index} ${kind}`])),
    ['3 unknown'],
  );
  const arrived = sinks[0]?.received.map(({ to }) => to[0] ?? '') ?? [];
  assert.deepEqual(arrived.toSorted(), people(20).toSpliced(3, 1).toSorted());
});

test('mails of a relay that breaks go to the other one, each once; the broken one is used again when it is back', async (t) => {
  const { relays, sinks, send } = await start(t, { misbehave: ['cut@mail'] }, {});
  const outcomes = await Promise.all(people(100).map((to) => send(to)));
  assert.ok(outcomes.every(({ kind }) => kind === 'sent'));
  const arrived = sinks[1]?.received.map(({ to }) => to[0] ?? '') ?? [];
  assert.deepEqual(arrived.toSorted(), people(100).toSorted());
  assert.equal(relays.states()[0]?.state, 'down');
  sinks[0]?.sink.misbehave([]);
  await eventually('the first relay is used again', async () => {
    await send('late@example.org');
    return (sinks[0]?.received.length ?? 0) > 0;
  });
});

test('while all relays are down mails wait without losing an attempt, and somebody is told', async (t) => {
  const { relays, sinks, send } = await start(t, { misbehave: ['cut@connect'] });
  const told: (string | undefined)[] = [];
  relays.onDown = (reason) => told.push(reason);
  const sending = send('anna@example.org');
  await eventually('the alert', () => told.length > 0);
  sinks[0]?.sink.misbehave([]);
  assert.equal((await sending).kind, 'sent');
  assert.equal(told.at(-1), undefined);
});

test('a mail of the high lane overtakes those that wait', async (t) => {
  const { sinks, send } = await start(t, { connections: 1, misbehave: ['wait5@data'] });
  const all = [...people(30).map((to) => send(to)), send('order@example.org', 'high')];
  await Promise.all(all);
  const at = sinks[0]?.received.findIndex(({ to }) => to[0] === 'order@example.org') ?? -1;
  assert.ok(at >= 0 && at <= 1, `it came as number ${at + 1}`);
});

test('classes with relays of their own never use others', async (t) => {
  const { sinks, send } = await start(t, { classes: ['bulk'] }, { classes: ['transactional'] });
  await Promise.all([send('a@example.org'), send('b@example.org', 'high', 'transactional')]);
  assert.deepEqual(
    sinks.map(({ received }) => received.map(({ to }) => to[0])),
    [['a@example.org'], ['b@example.org']],
  );
});

test('a class that names its relays uses no others, and a name that no relay has is refused', async (t) => {
  const classes = new Map([['bulk', { relays: ['slow'] }]]);
  const { relays, sinks, send } = await startWith(t, { classes }, { name: 'fast' }, { name: 'slow' });
  await Promise.all(people(10).map((to) => send(to)));
  assert.deepEqual(
    sinks.map(({ received }) => received.length),
    [0, 10],
  );
  await Promise.all(people(4).map((to) => send(to, 'high', 'transactional')));
  assert.deepEqual(
    sinks.map(({ received }) => received.length),
    [4, 10],
  );
  assert.deepEqual([relays.carries('bulk'), relays.states()[1]?.name], [true, 'slow']);
  await assert.rejects(
    startWith(t, { classes: new Map([['bulk', { relays: ['slwo'] }]]) }, { name: 'slow' }),
    /mail\.classes\.bulk\.relays names slwo, but the relays are slow/,
  );
  await assert.rejects(
    startWith(t, { classes: new Map([['bulk', { relays: [] }]]) }, { name: 'slow', classes: ['blk'] }),
    /relay slow of mail\.relays names class blk, but the classes are bulk/,
  );
});

test('the domains of a provider share its limit on connections; mails to others pass', async (t) => {
  const providers = [{ domains: ['big.org', 'Also-Big.org'], perSecond: 0, connections: 1 }];
  const { sinks, send } = await startWith(t, { providers }, { connections: 8, misbehave: ['wait5@data'] });
  const big = ['a@big.org', 'b@also-big.org', 'c@big.org'].map((to) => send(to));
  await Promise.all([...big, ...people(8).map((to) => send(to))]);
  const ofBig = (sinks[0]?.received ?? []).filter(({ to }) => /big\.org/.test(to[0] ?? ''));
  assert.equal(ofBig.length, 3);
  assert.equal(sinks[0]?.received.length, 11);
  const last = sinks[0]?.received.findLastIndex(({ to }) => to[0] === 'c@big.org') ?? -1;
  assert.ok(last >= 9, `the third one came as number ${last + 1}`);
});

test('mails beyond what a provider takes soon are put off one by one, as far apart as its limit wants', () => {
  const queues = new DestinationQueues([
    { domains: ['big.org', 'also-big.org'], perSecond: 10, connections: 0 },
  ]);
  assert.equal(queues.postponeMs('a@big.org', 10, 0), 0);
  for (let count = 0; count < 25; count++) queues.joins('a@big.org');
  assert.equal(queues.postponeMs('b@also-big.org', 10, 0), 2600);
  assert.equal(queues.postponeMs('b@big.org', 10, 0), 2700);
  assert.equal(queues.postponeMs('b@small.org', 10, 0), 0);
  assert.equal(queues.postponeMs('b@big.org', Number.POSITIVE_INFINITY, 0), 0);
  queues.leaves('a@also-big.org');
  assert.equal(queues.postponeMs('b@big.org', 10, 0), 0);
});

test('a limit per destination doesn’t hold up mails to others', async (t) => {
  const { send } = await start(t, { perSecondAndDomain: 2, connections: 8 });
  const slow = Promise.all(people(4).map((to) => send(to)));
  const ended: string[] = [];
  void slow.then(() => ended.push('slow'));
  await send('anna@elsewhere.org').then(() => ended.push('elsewhere'));
  await slow;
  assert.deepEqual(ended, ['elsewhere', 'slow']);
});

test('a stopped sender takes its mails back unsent', async (t) => {
  const { relays } = await start(t, { misbehave: ['cut@connect'] });
  const sending = relays.send({
    className: 'bulk',
    lane: 'normal',
    envelope: { from: '', to: 'a@example.org' },
    message,
  });
  await relays.close();
  assert.equal((await sending).kind, 'unsent');
});

test('a mail over which the relay breaks each time is put off after some attempts, and the others pass', async (t) => {
  const { sinks, send } = await start(t, { misbehave: ['cut@rcpt=poison@'] });
  const poison = send('poison@example.org');
  const outcomes = await Promise.all(people(5).map((to) => send(to)));
  assert.ok(outcomes.every(({ kind }) => kind === 'sent'));
  assert.equal(sinks[0]?.received.length, 5);
  assert.equal((await poison).kind, 'unsent');
});

test('a class whose relay is down holds up no other class of its lane, and somebody is told', async (t) => {
  const { relays, send } = await start(
    t,
    { classes: ['invoices'], misbehave: ['cut@connect'] },
    { classes: ['orders'] },
  );
  const told: (string | undefined)[] = [];
  relays.onDown = (reason) => told.push(reason);
  for (const to of people(150)) void send(to, 'high', 'invoices');
  assert.equal((await send('anna@example.org', 'high', 'orders')).kind, 'sent');
  await eventually('the alert', () => told.length > 0);
});

test('a mail that is stopped while its connection opens has not been tried', async (t) => {
  const { relays, sinks, send } = await start(t, { misbehave: ['wait600000@connect'] });
  const sending = send('anna@example.org');
  await eventually('the connection', () => sinks[0]?.sink.connections === 1);
  await relays.close();
  assert.deepEqual(await sending, { kind: 'unsent', answer: 'stopped', relay: '' });
});

test('a mail that no relay takes within a minute, or within its time to live, is given back', async (t) => {
  const clock = new ManualClock();
  const { relays, send } = await startWith(t, { clock }, { misbehave: ['cut@connect'] });
  const sending = send('anna@example.org');
  const job = { className: 'bulk', lane: 'normal', message } as const;
  const envelope = { from: '', to: 'a@example.org' };
  const expiring = relays.send({ ...job, envelope, notAfter: clock.now() + 20_000 });
  await eventually('the relay is down', () => relays.states()[0]?.state === 'down');
  clock.advance(20_000);
  const expired = await expiring;
  assert.deepEqual([expired.kind, expired.relay], ['unsent', '']);
  assert.match(expired.answer, /its time to live was over/);
  await eventually('the relay is down again', () => relays.states()[0]?.state === 'down');
  clock.advance(40_000);
  assert.match((await sending).answer, /no relay took it within 60 s: 127.0.0.1:\d+: /);
});

test('a connection that was idle for a minute is closed, and no mail trusts it', async (t) => {
  const clock = new ManualClock();
  const { relays, sinks, send } = await startWith(t, { clock }, {});
  await send('a@example.org');
  clock.advance(59_000);
  await send('b@example.org');
  assert.equal(sinks[0]?.sink.connections, 1);
  clock.advance(60_000);
  assert.equal(relays.states()[0]?.connections, 0);
  await send('c@example.org');
  assert.equal(sinks[0]?.sink.connections, 2);
});

test('what one relay can’t carry goes to one that can; what none can carry fails', async (t) => {
  const { sinks, send } = await start(t, { offers: ['SIZE 10'] }, { offers: ['SIZE 1000'] });
  for (const to of people(4)) assert.equal((await send(to)).kind, 'sent');
  assert.equal(sinks[1]?.received.length, 4);
  const letters = await send('žofie@example.org');
  assert.match(letters.answer, /does not offer SMTPUTF8/);
});
