import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type PostgresServer, startPostgres } from '../src/engine/testing/servers/postgres.ts';
import { type RabbitCluster, startRabbitCluster } from '../src/engine/testing/servers/rabbitmq.ts';
import { type Comparable, less, more } from './comparable.ts';
import type { Parts } from './mail/part-process.ts';
import { startRelay } from './mail/relay-process.ts';
import { runPart, startedHere } from './mail/run-part.ts';
import { printMarkdown, printTargets, type Target } from './transcription/report.ts';

/**
 * What mails cost: by id on the embedded queue and on PostgreSQL, whole on RabbitMQ, beside the same mails without a queue, a bare
 * consumer, nodemailer's pool and postfix's smtp-source, in one run.
 * `npm run bench -- mail [--only wire,campaign,generation,whole,table,broker,orders] [--mails 30000] [--whole 100000] [--recipients 2000000]
 * [--newsletters 1000000] [--messages 40000] [--alone] [--json FILE]`
 */
const known = ['wire', 'campaign', 'generation', 'whole', 'table', 'broker', 'orders'];
const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    only: { type: 'string' },
    // Without peers, for `bench -- compare`.
    alone: { type: 'boolean', default: false },
    mails: { type: 'string', default: '30000' },
    recipients: { type: 'string', default: '2000000' },
    newsletters: { type: 'string', default: '1000000' },
    messages: { type: 'string', default: '40000' },
    // With fewer, the first second counts, in which code is compiled and connections are opened.
    whole: { type: 'string', default: '100000' },
  },
});
const wanted = values.only?.split(',') ?? known;
const unknown = wanted.find((name) => !known.includes(name));
if (unknown !== undefined) throw new Error(`--only knows ${known.join(', ')}, not ${unknown}`);
const mails = Number(values.mails);
const began = performance.now();
const say = (text: string) => console.log(`${((performance.now() - began) / 1000).toFixed(0)} s: ${text}`);
const directory = await mkdtemp(join(tmpdir(), 'pismak-bench-dkim-'));
const relay = await startRelay();
const moody = await startRelay(['450@rcpt:2.5%', '554@rcpt:2.5%']);
const figures: Record<string, unknown> = { relay: relay.name };
const targets: Target[] = [];
const comparable: Comparable[] = [];
let rabbit: RabbitCluster | undefined;
let postgres: PostgresServer | undefined;

/** What the table shows of a campaign or of whole mails. */
type Row = Omit<Awaited<ReturnType<Parts['sendCampaign']>>, 'failed'>;

/** Runs a part, and keeps and shows its figures. */
async function measure<Figures>(name: string, work: () => Promise<Figures>): Promise<Figures> {
  say(`${name}...`);
  const found = await work();
  figures[name] = found;
  console.log(found);
  return found;
}

function target(name: string, unit: string, least: number, measured: number): void {
  targets.push({
    name,
    wanted: `at least ${least} ${unit}`,
    measured: `${measured} ${unit}`,
    reached: measured >= least,
  });
}

function ratesOf(name: string, { generated, sent, peakRssMb }: Row): Comparable[] {
  return [
    more(`${name}, generated/s`, generated.mean),
    more(`${name}, sent/s`, sent.mean),
    less(`${name}, RSS, MB`, peakRssMb),
  ];
}

/** A fresh host of RabbitMQ and a fresh database of PostgreSQL. */
async function servers() {
  rabbit ??= await startRabbitCluster(1);
  postgres ??= await startPostgres();
  const broker = (await rabbit.createHost()).url;
  const url = await postgres.createDatabase();
  return {
    broker,
    engine: { coordination: url, database: url, blobs: url },
    postgres: { broker: url, coordination: url, database: url, blobs: url },
    servers: startedHere([relay.pid, moody.pid]),
  };
}

const one = [{ url: relay.url }];
const three = [1, 2, 3].map((number) => ({ name: `relay${number}`, url: relay.url, connections: 10 }));

const parts: Record<string, () => Promise<void>> = {
  async wire() {
    const alone = values.alone;
    const found = await measure('without a queue', () =>
      runPart('sendReadyMade', { mails, url: relay.url, alone }),
    );
    comparable.push(more('without a queue, mails/s', found['our client, ready-made, a second']));
  },

  async campaign() {
    const campaign = { mails, relays: one, separated: true };
    const plain = await measure('by id, embedded', () => runPart('sendCampaign', campaign));
    target('by id, embedded', 'mails/s', 4000, plain.sent.mean);
    comparable.push(...ratesOf('by id, embedded', plain));
    const dkimKeyFile = join(directory, 'key.pem');
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    await writeFile(dkimKeyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const mail = { dkimDomain: 'example.org', dkimKeyFile };
    const signed = await measure('by id, embedded, DKIM RSA-2048', () =>
      runPart('sendCampaign', { ...campaign, mail }),
    );
    target('DKIM RSA-2048', 'mails/s', 1500, signed.sent.mean);
    comparable.push(...ratesOf('DKIM RSA-2048', signed));
    const refused = await measure('by id, embedded, 5 % answered 4xx or 5xx', () =>
      runPart('sendCampaign', { ...campaign, relays: [{ url: moody.url }], mail: { retryMs: 1000 } }),
    );
    comparable.push(...ratesOf('5 % refused', refused));
  },

  async generation() {
    const recipients = Number(values.recipients);
    const made = await measure('generation', () => runPart('generateMany', { recipients, relays: one }));
    target('generation', 'mails/s', 20_000, made.generated.mean);
    comparable.push(
      more('generation, mails/s', made.generated.mean),
      less('generation, RSS, MB', made.peakRssMb),
    );
    targets.push({
      name: `generation for ${recipients}, RSS`,
      wanted: 'under 200 MB',
      measured: `${made.peakRssMb} MB`,
      reached: made.peakRssMb < 200,
    });
  },

  async whole() {
    const mails = Number(values.whole);
    const { broker, engine, servers: pids } = await servers();
    const bare = values.alone
      ? undefined
      : await measure('a bare consumer of RabbitMQ', () =>
          runPart('consumeBare', { mails, broker, url: relay.url, prefetch: 200, servers: pids }),
        );
    const whole = await measure('whole mails, RabbitMQ', () =>
      runPart('sendWhole', { mails, relays: one, broker, engine, servers: pids, separated: true }),
    );
    comparable.push(more('whole mails, RabbitMQ, mails/s', whole.sent.mean));
    if (bare) {
      const ratio = Number((whole.sent.mean / bare.sent.mean).toFixed(2));
      target('whole mails on RabbitMQ beside a bare consumer', 'x', 0.8, ratio);
    }
    const again = await servers();
    const { broker: queue, ...others } = again.postgres;
    const onPostgres = await measure('whole mails, PostgreSQL', () =>
      runPart('sendWhole', {
        mails,
        relays: one,
        broker: queue,
        engine: others,
        servers: again.servers,
        separated: true,
      }),
    );
    comparable.push(more('whole mails, PostgreSQL, mails/s', onPostgres.sent.mean));
  },

  async table() {
    const rows: string[][] = [];
    const add = (name: string, found: Row) => {
      const { generated, sent } = found;
      rows.push(
        [
          name,
          found.mails,
          generated.mean,
          generated.peak,
          sent.mean,
          sent.median,
          sent.peak,
          found.cpu,
          found.peakRssMb,
          found.writtenMb,
          found.sqlPerSecond,
        ].map(String),
      );
    };
    for (const separated of [true, false]) {
      const when = separated ? 'separated' : 'overlapped';
      const embedded: [string, typeof one][] = [
        ['one relay', one],
        ['three relays', three],
      ];
      for (const [name, relays] of embedded) {
        const campaign = { mails, relays, separated };
        const title = `${name}, embedded, ${when}`;
        add(title, await measure(title, () => runPart('sendCampaign', campaign)));
      }
      const database = await servers();
      const title = `database queue (PostgreSQL), three relays, ${when}`;
      const campaign = {
        mails,
        relays: three,
        separated,
        engine: database.postgres,
        servers: database.servers,
      };
      add(title, await measure(title, () => runPart('sendCampaign', campaign)));
      for (const [consumers, prefetch] of [
        [12, 1],
        [6, 1],
        [6, 20],
      ] as const) {
        const { broker, engine, servers: pids } = await servers();
        const relays = three.map((each) => ({ ...each, connections: consumers / 3 }));
        const mail = { classes: { bulk: { inFlight: consumers * prefetch } } };
        const name = `RabbitMQ ${consumers}x${prefetch}, three relays, ${when}`;
        add(
          name,
          await measure(name, () =>
            runPart('sendWhole', { mails, relays, mail, broker, engine, servers: pids, separated }),
          ),
        );
      }
    }
    printMarkdown([
      [
        '',
        'mails',
        'generated/s',
        'peak',
        'sent/s',
        'median',
        'peak',
        'CPU (cores)',
        'RSS, MB',
        'written, MB',
        'SQL/s',
      ],
      ...rows,
    ]);
  },

  async broker() {
    const { broker } = await servers();
    await measure('RabbitMQ alone, messages a second', () =>
      runPart('measureRawBroker', { broker, messages: Number(values.messages) }),
    );
  },

  async orders() {
    const newsletters = Number(values.newsletters);
    const behind = { newsletters, orders: 100, relays: one };
    const slowest = (name: string, ms: number) =>
      targets.push({ name, wanted: 'p99 under 1000 ms', measured: `${ms} ms`, reached: ms < 1000 });
    const backlog = await measure('orders behind newsletters in the backlog', () =>
      runPart('overtake', behind),
    );
    slowest('orders, newsletters in the backlog', backlog.p99Ms);
    comparable.push(less('orders behind newsletters in the backlog, p99 ms', backlog.p99Ms));
    const { broker, engine } = await servers();
    const queue = await measure('orders behind whole newsletters in the queue of RabbitMQ', () =>
      runPart('overtake', { ...behind, broker, engine }),
    );
    slowest('orders, newsletters in the queue', queue.p99Ms);
    comparable.push(less('orders behind newsletters in the queue, p99 ms', queue.p99Ms));
  },
};

try {
  for (const name of wanted) await parts[name]?.();
} finally {
  await Promise.all([relay.close(), moody.close(), rabbit?.close(), postgres?.close()]);
  await rm(directory, { recursive: true, force: true });
}
printTargets(targets);
say('done');
if (values.json) {
  const machine = { node: process.version, cores: availableParallelism(), at: new Date().toISOString() };
  await writeFile(values.json, `${JSON.stringify({ machine, ...figures, targets, comparable }, null, 2)}\n`);
}
process.exit(0);
