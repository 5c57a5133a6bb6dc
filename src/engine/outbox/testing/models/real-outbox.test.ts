import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createAlerts } from '../../../alert/alert.ts';
import { PismakError } from '../../../ground/errors.ts';
import { type Embedded, openEmbedded } from '../../../testing/embedded.ts';
import { eventually } from '../../../testing/eventually.ts';
import { ManualClock } from '../../../time/clock.ts';
import { createOutbox, type Outbox, runOutbox } from '../../outbox.ts';
import { type ModelTransaction, type Seen, whatIsWrong } from './outbox-model.ts';

const waitMs = 60_000;

/** The fate of a publisher at its next message. */
const fates = [
  'publishes',
  'dies before it',
  'dies after it',
  'is deposed, and goes on later',
  'is refused',
  'hears nothing',
] as const;
type Fate = (typeof fates)[number];
/** Messages of a transaction, and whether it commits. */
const transaction = fc.record({ messages: fc.integer({ min: 1, max: 3 }), commits: fc.boolean() });

test('wherever the publisher dies, the real outbox matches the model', {
  timeout: 300_000,
}, async (t) => {
  const embedded = await openEmbedded(t, { clock: new ManualClock() });
  let run = 0;
  const property = fc.asyncProperty(
    fc.array(fc.array(transaction, { maxLength: 3 }), { minLength: 1, maxLength: 5 }),
    fc.array(fc.constantFrom(...fates), { minLength: 5, maxLength: 30, size: 'max' }),
    async (lives, chosen) => {
      const scene = new Scene(embedded, `letters${run++}`, chosen);
      await embedded.broker.declare(scene.queue);
      for (const transactions of lives) {
        for (const { messages, commits } of transactions) await scene.commit(messages, commits);
        await scene.live();
      }
      scene.calm();
      await scene.live();
      const { rows, queue, transactions } = await scene.look();
      assert.deepEqual(rows, []);
      const committed = transactions.filter(({ is }) => is === 'committed').flatMap(({ ids }) => ids);
      assert.deepEqual(new Set(queue), new Set(committed));
      await embedded.broker.remove(scene.queue);
    },
  );
  await fc.assert(property, { numRuns: 10, endOnFailure: true });
});

class Scene {
  readonly queue: string;
  readonly #embedded: Embedded;
  readonly #outbox: Outbox;
  #fates: Fate[];
  readonly #transactions: { name: string; ids: string[] }[] = [];
  /** Publishers that don't know yet that another has taken over. */
  #late: (() => Promise<void>)[] = [];

  constructor(embedded: Embedded, queue: string, chosen: readonly Fate[]) {
    this.#embedded = embedded;
    this.queue = queue;
    this.#fates = [...chosen];
    this.#outbox = createOutbox(embedded);
  }

  /** From here on nothing fails. */
  calm(): void {
    this.#fates = [];
  }

  /** Writes state (a row named after the queue) and messages in one transaction, which may roll back at the end. */
  async commit(messages: number, commits: boolean): Promise<void> {
    const name = `${this.queue}/${this.#transactions.length}`;
    const ids = Array.from({ length: messages }, (_, index) => `${name}/${index}`);
    const work = this.#embedded.database.transaction(async (queries) => {
      await queries.insertInto('coordinationFence').values({ path: name, fence: 1 }).execute();
      for (const id of ids) await this.#outbox.add(queries, this.queue, { id, body: Buffer.from(id) });
      if (!commits) throw new Error('changed my mind');
    });
    if (commits) await work;
    else await assert.rejects(work, /changed my mind/);
    this.#transactions.push({ name, ids });
  }

  /** One life of the publisher, until all is published or it dies. */
  async live(): Promise<void> {
    const { tree, clock, broker } = this.#embedded;
    let dead = false;
    const later = Promise.withResolvers<void>();
    const late = this.#late;
    this.#late = [];
    let hung = false;
    const die = () => {
      dead = true;
      hung = true;
      return new Promise<never>(() => {});
    };
    const publish: typeof broker.publish = async (queue, message) => {
      const next = dead ? 'publishes' : this.#fates.shift();
      if (next === 'dies before it') await die();
      if (next === 'is deposed, and goes on later') {
        dead = true;
        await later.promise;
      }
      if (next === 'is refused') throw new PismakError('queue-full', 'refused by the test');
      await broker.publish(queue, message);
      if (next === 'dies after it') await die();
      if (next === 'hears nothing') throw new PismakError('unavailable', 'the answer was lost by the test');
    };
    const session = await tree.openSession('outbox');
    const alerts = createAlerts({
      ...this.#embedded,
      repeatMs: 1e9,
      subscribers: [],
      wakeOutbox: this.#outbox.wake,
    });
    const openSession = async () => session;
    const parts = { ...this.#embedded, broker: { publish }, outbox: this.#outbox, alerts, openSession };
    const service = runOutbox(parts);
    const goingOn = Promise.all(late.map((goOn) => goOn()));
    await eventually(
      'the publisher is dead or has nothing to do',
      async () => {
        // Refusing queues are retried after a while.
        if (clock instanceof ManualClock) clock.advance(1000);
        const seen = await this.look();
        assert.equal(whatIsWrong(seen), undefined);
        return dead || seen.rows.length === 0;
      },
      waitMs,
    );
    await goingOn;
    if (!dead) return service.close();
    await tree.expire(session.session);
    this.#late.push(() => {
      later.resolve();
      // A dead publisher never closes.
      return hung ? Promise.resolve() : service.close();
    });
  }

  async look(): Promise<Seen> {
    const { broker, database } = this.#embedded;
    // Read the queue last: rows that have left the table are there by now.
    const waiting = database.query.selectFrom('outbox').select('messageId').where('queue', '=', this.queue);
    const rows = (await waiting.orderBy('id').execute()).map(({ messageId }) => messageId);
    const queue = (await broker.peek(this.queue, { limit: 10_000 })).map(({ id }) => id);
    const states = await database.query.selectFrom('coordinationFence').select('path').execute();
    const committed = new Set(states.map(({ path }) => path));
    const transactions = this.#transactions.map(
      ({ name, ids }): ModelTransaction => ({ ids, is: committed.has(name) ? 'committed' : 'rolled back' }),
    );
    return { transactions, rows, queue };
  }
}
