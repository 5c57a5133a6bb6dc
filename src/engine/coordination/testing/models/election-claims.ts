import assert from 'node:assert/strict';
import fc from 'fast-check';
import { hasCode } from '../../../ground/errors.ts';
import { eventually } from '../../../testing/eventually.ts';
import type { Coordination, Hold } from '../../coordination.ts';
import type { Claim, CoordinationUnderTest } from '../contract/claim.ts';
import * as model from './election-model.ts';

const candidates = 3;
const waitMs = 30_000;

/** Every tree behaves like the model. Here candidates learn everything at once; only writes under an old hold are late. */
export function electionClaims(claim: Claim): void {
  claim('elections, releases, expiries and late writes match the model', async (tree, session) => {
    const who = fc.nat({ max: candidates - 1 });
    const commands = [
      who.map(stand),
      who.map(stand),
      who.map(write),
      who.map(write),
      who.map(writeLate),
      who.map(release),
      who.map(expire),
      who.map(expireWhileWriting),
    ];
    let run = 0;
    const property = fc.asyncProperty(
      fc.commands(commands, { maxCommands: 30, size: 'max' }),
      async (steps) => {
        const real = new RealElection(tree, session, `/election/${++run}`);
        try {
          await fc.asyncModelRun(() => ({ model: { state: model.newElection(candidates) }, real }), steps);
        } finally {
          await real.close();
        }
      },
    );
    await fc.assert(property, { numRuns: 10, endOnFailure: true });
  });
}

/** The candidates on a real tree. */
class RealElection {
  readonly tree: CoordinationUnderTest;
  readonly observer: Coordination;
  readonly path: string;
  readonly plan: string;
  /** What each candidate has now, and what it had before. */
  readonly of = Array.from({ length: candidates }, () => new RealCandidate());
  last: Hold | undefined;
  /** The expected value of the plan. */
  written: string | undefined;

  constructor(tree: CoordinationUnderTest, observer: Coordination, path: string) {
    this.tree = tree;
    this.observer = observer;
    this.path = `${path}/leader`;
    this.plan = `${path}/plan`;
  }

  at(who: number): RealCandidate {
    const candidate = this.of[who];
    if (!candidate) throw new Error(`there is no candidate ${who}`);
    return candidate;
  }

  async close(): Promise<void> {
    for (const { session } of this.of) await session?.close();
  }
}

class RealCandidate {
  session: Coordination | undefined;
  hold: Hold | undefined;
  old: { session: Coordination; hold: Hold } | undefined;

  /** It no longer leads. Its old hold is kept for late writes. */
  leave(): void {
    if (this.session && this.hold) this.old = { session: this.session, hold: this.hold };
    this.hold = undefined;
  }
}

type Command = fc.AsyncCommand<{ state: model.ElectionState }, RealElection>;

const stand = (who: number) =>
  command(
    `${who} stands`,
    (state) => !model.candidateOf(state, who).standing,
    async (state, real) => {
      const candidate = real.at(who);
      const opened = candidate.session ? state : model.open(state, who);
      candidate.session ??= await real.tree.open(`candidate-${who}`);
      candidate.session.hold(real.path, `${who}`).then(
        (hold) => {
          candidate.hold = hold;
        },
        // The session ends while it waits.
        () => {},
      );
      // Sessions take places in the order in which the store sees their calls.
      await candidate.session.holder(real.path);
      return model.stand(opened, who);
    },
  );

const write = (who: number) =>
  command(
    `${who} writes`,
    (state) => model.candidateOf(state, who).leads > 0,
    async (state, real) => {
      const { session, hold } = real.at(who);
      assert.ok(session && hold);
      real.written = (await session.set(real.plan, `${who} ${hold.fence}`, { under: hold })).value;
      return model.arrive(model.send(state, who), who);
    },
  );

/** Writes under an old hold: refused, even if the session is alive and leads again. */
const writeLate = (who: number) =>
  command(
    `${who} writes late`,
    () => true,
    async (state, real) => {
      const { old } = real.at(who);
      if (!old) return state;
      const late = old.session.set(real.plan, `${who} late`, { under: old.hold });
      await assert.rejects(late, (error) => hasCode(error, 'hold-lost') || hasCode(error, 'session-lost'));
      return state;
    },
  );

const release = (who: number) =>
  command(
    `${who} releases`,
    (state) => model.candidateOf(state, who).leads > 0,
    async (state, real) => {
      const candidate = real.at(who);
      await candidate.hold?.release();
      candidate.leave();
      return model.release(state, who);
    },
  );

const expire = (who: number) =>
  command(
    `the session of ${who} expires`,
    (state) => model.candidateOf(state, who).session > 0,
    async (state, real) => {
      await expireReally(real, who);
      return expireInModel(state, who);
    },
  );

/** The write is accepted in time, refused, or in doubt. */
const expireWhileWriting = (who: number) =>
  command(
    `the session of ${who} expires while it writes`,
    (state) => model.candidateOf(state, who).leads > 0,
    async (state, real) => {
      const { session, hold } = real.at(who);
      assert.ok(session && hold);
      const [written, expired] = await Promise.allSettled([
        session.set(real.plan, `${who} ${hold.fence}`, { under: hold }),
        expireReally(real, who),
      ]);
      if (expired.status === 'rejected') throw expired.reason;
      if (written.status === 'rejected') {
        const { reason } = written;
        // A refusal is one of these; anything else is a bug.
        assert.ok(hasCode(reason, 'hold-lost') || hasCode(reason, 'session-lost'), String(reason));
        // If the session ends before the answer, the writer can't know: the write may have been in time.
        const inTime = (await real.observer.get(real.plan))?.value === `${who} ${hold.fence}`;
        if (hasCode(reason, 'hold-lost') || !inTime) return expireInModel(state, who);
      }
      real.written = `${who} ${hold.fence}`;
      return expireInModel(model.arrive(model.send(state, who), who), who);
    },
  );

async function expireReally(real: RealElection, who: number): Promise<void> {
  const candidate = real.at(who);
  if (candidate.session) await real.tree.expire(candidate.session);
  assert.equal(candidate.hold?.lost.aborted ?? true, true, 'a former holder knows that it lost the hold');
  candidate.leave();
  candidate.session = undefined;
}

function expireInModel(state: model.ElectionState, who: number): model.ElectionState {
  return model.learn(model.expire(state, model.candidateOf(state, who).session), who);
}

function command(
  name: string,
  check: (state: model.ElectionState) => boolean,
  run: (state: model.ElectionState, real: RealElection) => Promise<model.ElectionState>,
): Command {
  return {
    check: ({ state }) => check(state),
    async run(held, real) {
      const granted = model.grant(await run(held.state, real));
      held.state = granted.candidates.reduce((state, _, who) => model.hear(state, who), granted);
      await agree(held.state, real);
    },
    toString: () => name,
  };
}

/** The model's leader leads, knows it, has the greatest fence so far, and its plan is the last. */
async function agree(state: model.ElectionState, real: RealElection): Promise<void> {
  const leader = state.candidates.findIndex(({ leads }) => leads > 0);
  if (leader < 0) assert.equal(await real.observer.holder(real.path), undefined);
  else {
    const hold = await eventually('the leader knows', () => real.at(leader).hold, waitMs);
    assert.deepEqual(await real.observer.holder(real.path), { identity: `${leader}`, fence: hold.fence });
    assert.ok(hold === real.last || hold.fence > (real.last?.fence ?? 0), 'fences grow');
    real.last = hold;
  }
  for (const [who, { hold }] of real.of.entries()) assert.equal(hold !== undefined, who === leader);
  assert.equal((await real.observer.get(real.plan))?.value, real.written);
  assert.equal(real.written !== undefined, state.written !== null);
}
