import type { Model, Step } from '../../../testing/explore.ts';
import type { Lane } from '../../broker.ts';
import {
  beginAgain,
  charge,
  claim,
  consumerOf,
  die,
  giveBack,
  giveBackUnknown,
  hasLease,
  isRightful,
  type LeaseFlaw,
  type LeaseState,
  lapse,
  messageOf,
  newLeaseState,
  nextReady,
  promote,
  publish,
  renew,
  rescue,
  type Settling,
  settle,
  start,
  sweep,
} from './lease-model.ts';

/** Limits on the search: starts per message and leases given out. */
interface Bounds {
  lanes: readonly Lane[];
  consumers: number;
  starts: number;
  leases: number;
}

const settlings: readonly Settling[] = ['acks', 'retries', 'buries', 'releases'];

/** Every order of what publishers, consumers, deaths, lost answers and upkeep can do. */
export function leaseModel(bounds: Bounds, flaw?: LeaseFlaw): Model<LeaseState> {
  return {
    initial: newLeaseState(bounds.lanes, bounds.consumers),
    *steps(state) {
      const unsent = state.messages.findIndex(({ at }) => at === 'unsent');
      if (unsent >= 0) yield [`${unsent} is published`, publish(state, unsent)];
      for (const who of state.consumers.keys())
        if (consumerOf(state, who).alive) yield* consumerSteps(bounds, state, who, flaw);
      for (const { number, lapsed } of state.leases)
        if (!lapsed) yield [`lease ${number} lapses`, lapse(state, number)];
      yield ['lapsed leases are swept', sweep(state)];
      yield ['their messages are rescued', rescue(state, flaw)];
      yield ['due messages become ready', promote(state)];
    },
    wrong: (state, before, step) =>
      whoHoldsTwice(state) ??
      whatIsLost(state, flaw) ??
      whatWasMiscounted(state, before, step) ??
      whatOvertook(state, before) ??
      whoHadNoRight(state, before),
  };
}

function* consumerSteps(
  bounds: Bounds,
  state: LeaseState,
  who: number,
  flaw?: LeaseFlaw,
): Iterable<Step<LeaseState>> {
  const { lease, holds } = consumerOf(state, who);
  yield [`${who} dies`, die(state, who)];
  yield [`${who} renews`, renew(state, who)];
  if (!hasLease(state, lease)) {
    if (state.lastLease < bounds.leases) yield [`${who} begins again`, beginAgain(state, who, flaw)];
  } else {
    if (nextReady(state) >= 0) {
      yield [`${who} claims`, claim(state, who, true, flaw)];
      yield [`${who} claims and gets no answer`, claim(state, who, false, flaw)];
    }
    yield [`${who} gives back unknown claims`, giveBackUnknown(state, who)];
  }
  // In start order: high lane first.
  const fetched = holds.filter((hold) => !hold.running);
  const first = fetched.find(({ message }) => messageOf(state, message).lane === 'high') ?? fetched[0];
  if (first && messageOf(state, first.message).starts < bounds.starts)
    yield [`${who} starts ${first.message}`, start(state, who, first)];
  for (const hold of holds) {
    if (!hold.running) {
      yield [`${who} gives ${hold.message} back`, giveBack(state, who, hold)];
      continue;
    }
    yield [`${who} charges ${hold.message}`, charge(state, who, hold)];
    for (const how of settlings) yield [`${who} ${how} ${hold.message}`, settle(state, who, hold, how, flaw)];
  }
}

function whoHoldsTwice(state: LeaseState): string | undefined {
  for (const index of state.messages.keys()) {
    const holders = state.consumers.filter(
      ({ alive, lease, holds }) =>
        alive &&
        hasLease(state, lease) &&
        holds.some((hold) => hold.message === index && hold.under === lease),
    );
    const twice = state.consumers.some(
      ({ lease, holds }) => holds.filter((hold) => hold.message === index && hold.under === lease).length > 1,
    );
    if (holders.length > 1 || twice) return `message ${index} is held twice by live consumers`;
  }
  return undefined;
}

/** If all consumers died now, every confirmed and unacked message would still be there for the next one. */
function whatIsLost(state: LeaseState, flaw?: LeaseFlaw): string | undefined {
  const nobody = { ...state, leases: [], consumers: state.consumers.map((one) => ({ ...one, holds: [] })) };
  const lost = promote(rescue(nobody, flaw)).messages.findIndex(({ at }) => at === 'claimed');
  return lost >= 0 ? `message ${lost} would be lost` : undefined;
}

function whatWasMiscounted(state: LeaseState, before: LeaseState, step: string): string | undefined {
  for (const [index, { attempts, starts }] of state.messages.entries()) {
    if (attempts > starts) return `message ${index} is charged for an attempt that was not started`;
    const less = messageOf(before, index).attempts - attempts;
    if (less > (step.includes('releases') ? 1 : 0)) return `an attempt of message ${index} is forgotten`;
  }
  return undefined;
}

function whatOvertook(state: LeaseState, before: LeaseState): string | undefined {
  const isHigh = (index: number) => messageOf(before, index).lane === 'high';
  const overtaken = before.messages.some(({ at }, index) => at === 'ready' && isHigh(index));
  for (const [index, { at, lane }] of state.messages.entries()) {
    const claimed = at === 'claimed' && messageOf(before, index).at === 'ready';
    if (claimed && lane === 'normal' && overtaken) return `message ${index} overtook a high one`;
  }
  return undefined;
}

/** Only its holder changes a claimed message, unless the lease of the holder is gone; a ready message only gets claimed. */
function whoHadNoRight(state: LeaseState, before: LeaseState): string | undefined {
  for (const [index, { at }] of state.messages.entries()) {
    const was = messageOf(before, index);
    if (was.at === at) continue;
    if (was.at === 'ready' && at !== 'claimed')
      return `message ${index} was settled by a consumer that did not hold it`;
    if (was.at !== 'claimed') continue;
    for (const [who, { holds }] of before.consumers.entries()) {
      for (const hold of holds) {
        if (hold.message !== index) continue;
        const settled = !consumerOf(state, who).holds.includes(hold);
        if (settled && !isRightful(before, who, hold))
          return `${who} settled ${index}, which belongs to another consumer`;
        if (!settled && isRightful(before, who, hold) && hasLease(before, hold.under))
          return `message ${index} was taken from ${who}, which is alive`;
      }
    }
  }
  return undefined;
}
