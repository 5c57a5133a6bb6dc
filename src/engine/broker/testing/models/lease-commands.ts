import assert from 'node:assert/strict';
import fc from 'fast-check';
import { hasCode } from '../../../ground/errors.ts';
import type { Lane } from '../../broker.ts';
import { bytes, idsOf } from '../contract/scene.ts';
import * as model from './lease-model.ts';
import { Handlers, queue, type RealLeases } from './real-leases.ts';

type Command = fc.AsyncCommand<{ state: model.LeaseState }, Handlers>;

const delayMs = 3_600_000;

/** Applies the commands that fast-check picks to the model and to a real broker, and compares them after each step. */
export async function compareWithModel(parts: {
  open: () => Promise<RealLeases>;
  consumers: number;
  /** Whether a live process can lose its lease. */
  mayLapse: boolean;
  numRuns: number;
}): Promise<void> {
  const { open, consumers, mayLapse, numRuns } = parts;
  const who = fc.nat({ max: consumers - 1 });
  const how = fc.constantFrom<model.Settling>('acks', 'retries', 'buries', 'releases');
  const settling = fc.tuple(who, fc.nat({ max: 2 }), how).map((chosen) => settle(...chosen));
  const commands = [
    fc.constant(publish),
    fc.constant(publish),
    who.map(take),
    who.map(take),
    settling,
    settling,
    who.map(kill),
    fc.tuple(who, fc.boolean()).map((chosen) => upkeep(...chosen)),
    who.map(redrive),
    ...(mayLapse ? [who.map(sweep)] : []),
  ];
  const lanes = fc.array(fc.constantFrom<Lane>('high', 'normal'), {
    minLength: 1,
    maxLength: 6,
    size: 'max',
  });
  const steps = fc.commands(commands, { maxCommands: 40, size: 'max' });
  const property = fc.asyncProperty(lanes, steps, async (ofLanes, chosen) => {
    const real = new Handlers(await open());
    try {
      const setup = async () => ({ model: { state: model.newLeaseState(ofLanes, consumers) }, real });
      await fc.asyncModelRun(setup, chosen);
    } finally {
      await real.close();
    }
  });
  await fc.assert(property, { numRuns, endOnFailure: true });
}

const publish = command(
  'publish',
  ({ messages }) => messages.some(({ at }) => at === 'unsent'),
  async (state, { leases }) => {
    const index = state.messages.findIndex(({ at }) => at === 'unsent');
    const { lane } = model.messageOf(state, index);
    await leases.broker(0).publish(queue, { id: `m${index}`, body: bytes(`m${index}`), lane });
    return model.publish(state, index);
  },
);

/** Takes the next message, checks its attempts against the model, and keeps its handler running. */
const take = (who: number) =>
  command(
    `${who} takes`,
    (state) => model.nextReady(state) >= 0 && model.consumerOf(state, who).holds.length < 3,
    async (state, real) => {
      const began = model.beginAgain(state, who);
      const claimed = model.claim(began, who);
      const fetched = model.consumerOf(claimed, who).holds.at(-1);
      assert.ok(fetched);
      const started = model.start(claimed, who, fetched);
      const hold = model.consumerOf(started, who).holds.at(-1);
      assert.ok(hold);
      const { id, attempt, lane } = await real.take(who);
      const expected = { id: `m${hold.message}`, attempt: hold.attempts };
      assert.deepEqual(
        { id, attempt, lane },
        { ...expected, lane: model.messageOf(state, hold.message).lane },
      );
      if (began !== state) await real.leases.beganAgain?.(who);
      await real.leases.chargesWritten(who);
      return model.charge(started, who, hold);
    },
  );

/** A consumer that lost its lease is refused, even if another consumer has its message by now. */
const settle = (who: number, which: number, how: model.Settling) =>
  command(
    `${who} ${how} the message it took ${which} before its last`,
    (state) => model.consumerOf(state, who).holds.length > which,
    async (state, real) => {
      const { lease, holds } = model.consumerOf(state, who);
      const index = holds.length - 1 - which;
      const hold = holds[index];
      assert.ok(hold);
      const { delivery, finish } = real.give(who, index);
      const current = hold.under === lease;
      const settling = {
        acks: () => delivery.ack(),
        retries: () => delivery.retry({ delayMs, reason: 'later' }),
        buries: () => delivery.deadLetter('broken'),
        releases: () => delivery.release(),
      }[how]();
      if (current && model.hasLease(state, lease)) await settling;
      else await assert.rejects(settling, (error) => hasCode(error, 'conflict'));
      finish();
      const settled = model.settle(state, who, hold, how);
      // The refusal tells the consumer to start again under a new lease.
      const began = current ? model.beginAgain(settled, who) : settled;
      if (began !== settled) await real.leases.beganAgain?.(who);
      return began;
    },
  );

const sweep = (who: number) =>
  command(
    `the lease of ${who} is swept`,
    (state) => model.hasLease(state, model.consumerOf(state, who).lease),
    async (state, { leases }) => {
      await leases.sweepLease?.(who);
      // What it had claimed is freed in the same transaction.
      return model.rescue(model.sweep(model.lapse(state, model.consumerOf(state, who).lease)));
    },
  );

const kill = (who: number) =>
  command(
    `${who} is killed`,
    () => true,
    async (state, real) => {
      await real.kill(who);
      const { lease } = model.consumerOf(state, who);
      const swept = model.sweep(model.lapse(model.die(state, who), lease));
      // A new process first rescues the messages of dead ones.
      return model.rescue(model.beginAgain(swept, who));
    },
  );

const upkeep = (who: number, later: boolean) =>
  command(
    `${who} runs its upkeep${later ? ', an hour later' : ''}`,
    () => true,
    async (state, { leases }) => {
      if (later) await leases.makeDue();
      const began = model.beginAgain(state, who);
      await leases.upkeep(who);
      if (began !== state) await leases.beganAgain?.(who);
      const rescued = model.rescue(began);
      return later ? model.promote(rescued) : rescued;
    },
  );

const redrive = (who: number) =>
  command(
    `${who} redrives the dead letters`,
    ({ messages }) => messages.some(({ at }) => at === 'dead'),
    async (state, { leases }) => {
      const dead = state.messages.filter(({ at }) => at === 'dead');
      assert.equal(await leases.broker(who).redrive(queue), dead.length);
      return model.redrive(state);
    },
  );

function command(
  name: string,
  check: (state: model.LeaseState) => boolean,
  run: (state: model.LeaseState, real: Handlers) => Promise<model.LeaseState>,
): Command {
  return {
    check: ({ state }) => check(state),
    async run(held, real) {
      held.state = await run(held.state, real);
      await agree(held.state, real);
    },
    toString: () => name,
  };
}

/** Asserts that the broker shows the messages of the model, in the same order. */
async function agree({ messages }: model.LeaseState, { leases }: Handlers): Promise<void> {
  const broker = leases.broker(0);
  const found = messages.map((message, index) => ({ ...message, id: `m${index}` }));
  const at = (...where: model.ModelMessage['at'][]) => found.filter((message) => where.includes(message.at));
  const ready = ['high', 'normal'].flatMap((lane) => at('ready').filter((message) => message.lane === lane));
  const { inFlight, dead, delayed } = await broker.status(queue);
  const expected = { inFlight: at('claimed').length, dead: at('dead').length, delayed: at('delayed').length };
  assert.deepEqual({ inFlight, dead, delayed }, expected);
  const waiting = (await broker.peek(queue, { limit: 100 })).filter(({ state }) => state === 'ready');
  assert.deepEqual(idsOf(waiting), idsOf(ready));
  const attempts = waiting.map(({ id, attempt }) => ({ id, attempt }));
  assert.deepEqual(
    attempts,
    ready.map((message) => ({ id: message.id, attempt: message.attempts })),
  );
  assert.deepEqual(idsOf(await broker.dead(queue)), idsOf(at('dead')));
}
