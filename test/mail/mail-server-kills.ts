import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { openPostgresDatabase } from '../../src/engine/database/postgres.ts';
import { messageOf } from '../../src/engine/ground/errors.ts';
import { startPostgres } from '../../src/engine/testing/servers/postgres.ts';
import { startRabbitCluster } from '../../src/engine/testing/servers/rabbitmq.ts';
import { mailsInFlight } from '../../src/mail/delivery/run-senders.ts';
import { memoryStore, openQueueSender } from '../../src/mail/index.ts';
import { commands, endsWithUs, RunningPismak } from '../running-pismak.ts';
import { connections, type MailKillFigures, openWatchedSink } from './mail-kills.ts';

const longestMs = 600_000;
const pismakProgram = join(import.meta.dirname, '../../bin/pismak');

/**
 * The same on servers: mails by id and whole mails on RabbitMQ with three nodes and PostgreSQL, two processes that send and one
 * that generates and records. Each of them and a node of the broker are killed in turn.
 */
export async function surviveServerKills(options: {
  directory: string;
  kills: number;
  recipients: number;
  lifeMs: number;
  say: (line: string) => void;
}): Promise<MailKillFigures> {
  const { directory, kills, recipients, lifeMs, say } = options;
  const startedAt = performance.now();
  const watched = await openWatchedSink();
  const [rabbit, postgres] = await Promise.all([startRabbitCluster(3), startPostgres()]);
  const url = await postgres.createDatabase();
  const broker = (await rabbit.createHost()).url;
  const settings = { broker, coordination: url, database: url, blobs: url, 'worker.count': 1 };
  // Without relays it generates, releases and records, and sends nothing.
  const pismak = new RunningPismak(join(directory, 'up'), settings, commands.up);
  const senders = [1, 2].map(
    (number) =>
      new SenderProcess(
        join(directory, `sender${number}`),
        { ...settings, 'mail.relays': `smtp://127.0.0.1:${watched.port}` },
        say,
      ),
  );
  const database = await openPostgresDatabase({ url });
  try {
    await pismak.start();
    const type = { code: 'news', sender: 'shop@example.org', subject: 'News for {{ name }}', class: 'bulk' };
    const news = { ...type, template: '<p>Dobrý den, {{ name }}</p>' };
    await pismak.call('mailtype.create', news);
    const half = Math.floor(recipients / 2);
    const lines = Array.from({ length: half }, (_, index) => `p${index}@example.org,Jméno ${index}\n`);
    const client = pismak.client();
    const { hash } = await client.upload(bytes(`email,name\n${lines.join('')}`));
    await client.close();
    await pismak.call('campaign.create', { name: 'all', type: 'news', audience: [`csv:${hash}`] });
    for (const sender of senders) sender.start();
    await pismak.call('campaign.start', { campaign: 'all' });
    const queue = await openQueueSender({ url: broker, store: memoryStore([news]) });
    const publishing = publishWhole(queue, half, recipients);
    const victims = [
      { name: 'the generator and recorder', kill: () => pismak.restart() },
      ...senders.map((sender, index) => ({
        name: `sender ${index + 1}`,
        kill: () => sender.restart(),
      })),
      ...rabbit.nodes.map((node) => ({
        name: `a node of RabbitMQ (${node.name})`,
        kill: async () => {
          await node.kill();
          await wait(Math.random() * 1000);
          await node.start();
        },
      })),
    ];
    for (let kill = 1; kill <= kills; kill++) {
      await wait(Math.random() * lifeMs);
      const victim = victims[(kill - 1) % victims.length];
      const killedAt = performance.now();
      await victim?.kill();
      const tookMs = Math.round(performance.now() - killedAt);
      say(
        `kill ${kill} of ${kills}: ${victim?.name}, back after ${tookMs} ms; ${watched.accepted.size} people have their mail`,
      );
    }
    const repeated = await publishing;
    await queue.close();
    const look = async () => {
      const { rows } = await sql<{ mails: number; open: number; twice: number; unknown: number }>`
        SELECT count(*) AS "mails", count(*) FILTER (WHERE "state" NOT IN ('sent', 'failed', 'unknown')) AS "open",
          coalesce(sum("takes" - "attempts"), 0) AS "twice", coalesce(sum("unknowns"), 0) AS "unknown" FROM "mail_mail"
      `.execute(database.query);
      const [row] = rows;
      return {
        open: Math.max(0, recipients - Number(row?.mails ?? 0)) + Number(row?.open ?? 0),
        counted: Number(row?.twice ?? 0) + Number(row?.unknown ?? 0) + repeated,
      };
    };
    const end = performance.now() + longestMs;
    let found = await look();
    // What is lost never ends: then the figures say so.
    for (let told = 0; found.open > 0 && performance.now() < end; found = await look()) {
      if (told++ % 20 === 0) say(`${found.open} mails are open`);
      await wait(500);
    }
    return {
      kills,
      recipients,
      ...watched.figures(recipients),
      counted: found.counted,
      inFlight: kills * mailsInFlight(connections),
      // Mails by id and whole ones. A queue gives everything that a dead sender had asked for to the next one.
      inHand: kills * 4 * mailsInFlight(connections),
      seconds: Math.round((performance.now() - startedAt) / 1000),
    };
  } finally {
    for (const sender of senders) await sender.kill();
    await pismak.kill();
    await database.close();
    await Promise.all([watched.close(), rabbit.close(), postgres.close()]);
  }
}

/** `pismak mail worker`, started again when it ends, as systemd would. */
class SenderProcess {
  readonly #parameters: readonly string[];
  readonly #say: (line: string) => void;
  #process: ChildProcess | undefined;
  #isWanted = false;

  constructor(
    data: string,
    settings: Readonly<Record<string, string | number>>,
    say: (line: string) => void,
  ) {
    const set = Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
    this.#parameters = [pismakProgram, 'mail', 'worker', '--data', data, ...set];
    this.#say = say;
  }

  start(): void {
    this.#isWanted = true;
    const [program = '', ...before] = endsWithUs;
    const child = spawn(program, [...before, ...this.#parameters], { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#process = child;
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-500);
    });
    child.once('exit', (code) => {
      if (!this.#isWanted || this.#process !== child) return;
      this.#say(`a sender ended by itself with ${code}: ${said.trim()}`);
      setTimeout(() => this.#isWanted && this.#process === child && this.start(), 1000);
    });
  }

  async kill(): Promise<void> {
    this.#isWanted = false;
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  async restart(): Promise<void> {
    await this.kill();
    this.start();
  }
}

/**
 * An application that tries again when the broker does not confirm: then a mail may be in the queue twice. Resolves to how often
 * that may be.
 */
async function publishWhole(
  queue: Awaited<ReturnType<typeof openQueueSender>>,
  from: number,
  to: number,
): Promise<number> {
  let next = from;
  let repeated = 0;
  await Promise.all(
    Array.from({ length: 50 }, async () => {
      while (next < to) {
        const index = next++;
        for (let attempt = 1; ; attempt++) {
          try {
            await queue.send({ type: 'news', to: `p${index}@example.org`, data: { name: `Jméno ${index}` } });
            break;
          } catch (error) {
            repeated++;
            if (attempt >= 100) throw new Error(`a mail could not be queued: ${messageOf(error)}`);
            await wait(500);
          }
        }
      }
    }),
  );
  return repeated;
}

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
