import type { Lane } from '../../broker.ts';

/**
 * Leases, claims and settlements of a broker in SQL tables, as pure steps from state to state. A consumer is a process;
 * its lease is one row, and everything it claims bears the number of that row. The model has no time: a lease may lapse,
 * and a delayed message may become ready, at any moment.
 */
export interface LeaseState {
  /** In publish order. */
  messages: ModelMessage[];
  consumers: ModelConsumer[];
  /** The rows of live consumers. A lapsed lease still counts until it is swept. */
  leases: { number: number; lapsed: boolean }[];
  lastLease: number;
}

export interface ModelMessage {
  lane: Lane;
  at: 'unsent' | 'ready' | 'delayed' | 'claimed' | 'dead' | 'gone';
  /** The lease under which it is claimed; 0 for none. */
  owner: number;
  attempts: number;
  /** How often a handler really started. No broker stores this. */
  starts: number;
}

export interface ModelConsumer {
  lease: number;
  alive: boolean;
  /** The messages it believes it holds. */
  holds: ModelHold[];
}

export interface ModelHold {
  message: number;
  under: number;
  attempts: number;
  running: boolean;
}

export type Settling = 'acks' | 'retries' | 'buries' | 'releases';

/** Bugs that a broker could have; the tests prove that the check finds them. */
export type LeaseFlaw =
  | 'any consumer can settle'
  | 'lapsed leases are rescued before they are swept'
  | 'lease numbers are reused'
  | 'a claim is charged'
  | 'normal messages come first'
  | 'only started messages are rescued'
  | 'a rescue forgets the attempts';

export function newLeaseState(lanes: readonly Lane[], consumers: number): LeaseState {
  const numbers = Array.from({ length: consumers }, (_, index) => index + 1);
  return {
    messages: lanes.map((lane) => ({ lane, at: 'unsent', owner: 0, attempts: 0, starts: 0 })),
    consumers: numbers.map((lease) => ({ lease, alive: true, holds: [] })),
    leases: numbers.map((number) => ({ number, lapsed: false })),
    lastLease: consumers,
  };
}

export function publish(state: LeaseState, index: number): LeaseState {
  return changeMessage(state, index, { at: 'ready' });
}

/** The next message: high lane first, then publish order. */
export function nextReady({ messages }: LeaseState, first: Lane = 'high'): number {
  const ready = (lane: Lane) =>
    messages.findIndex((message) => message.at === 'ready' && message.lane === lane);
  const other = first === 'high' ? 'normal' : 'high';
  return ready(first) >= 0 ? ready(first) : ready(other);
}

/**
 * A consumer that lost its lease starts again under a new number: running handlers go on, prefetched messages are
 * forgotten. The process that replaces a dead one does the same.
 */
export function beginAgain(state: LeaseState, who: number, flaw?: LeaseFlaw): LeaseState {
  const consumer = consumerOf(state, who);
  if (hasLease(state, consumer.lease)) return state;
  const again = flaw === 'lease numbers are reused';
  const number = again ? consumer.lease : state.lastLease + 1;
  const holds = consumer.holds.filter((hold) => hold.running);
  return {
    ...changeConsumer(state, who, { lease: number, alive: true, holds }),
    leases: [...state.leases, { number, lapsed: false }],
    lastLease: Math.max(state.lastLease, number),
  };
}

/** Claims the next message. The answer may get lost: then the table says the message is ours, but we don't know it. */
export function claim(state: LeaseState, who: number, answered = true, flaw?: LeaseFlaw): LeaseState {
  const consumer = consumerOf(state, who);
  const index = nextReady(state, flaw === 'normal messages come first' ? 'normal' : 'high');
  const message = messageOf(state, index);
  const attempts = message.attempts + (flaw === 'a claim is charged' ? 1 : 0);
  const claimed = changeMessage(state, index, { at: 'claimed', owner: consumer.lease, attempts });
  if (!answered) return claimed;
  const hold = { message: index, under: consumer.lease, attempts: message.attempts, running: false };
  return changeConsumer(claimed, who, { holds: [...consumer.holds, hold] });
}

/** Starts the handler. Nothing is written yet. */
export function start(state: LeaseState, who: number, hold: ModelHold): LeaseState {
  const started = { ...hold, running: true, attempts: hold.attempts + 1 };
  const { starts } = messageOf(state, hold.message);
  return changeMessage(changeHold(state, who, hold, started), hold.message, { starts: starts + 1 });
}

/** Writes the attempt, if the message is still ours. */
export function charge(state: LeaseState, who: number, hold: ModelHold): LeaseState {
  const written = messageOf(state, hold.message).attempts === hold.attempts;
  if (written || !isRightful(state, who, hold)) return state;
  return changeMessage(state, hold.message, { attempts: hold.attempts });
}

/** The handler settles its message. This has an effect only if the message is still ours. */
export function settle(
  state: LeaseState,
  who: number,
  hold: ModelHold,
  how: Settling,
  flaw?: LeaseFlaw,
): LeaseState {
  const without = changeHold(state, who, hold, undefined);
  const { at } = messageOf(state, hold.message);
  const careless = flaw === 'any consumer can settle' && at !== 'gone';
  if (!isRightful(state, who, hold) && !careless) return without;
  const becomes = { acks: 'gone', retries: 'delayed', buries: 'dead', releases: 'ready' } as const;
  const attempts = how === 'releases' ? hold.attempts - 1 : hold.attempts;
  return changeMessage(without, hold.message, { at: becomes[how], owner: 0, attempts });
}

/** Gives back a prefetched message. */
export function giveBack(state: LeaseState, who: number, hold: ModelHold): LeaseState {
  const without = changeHold(state, who, hold, undefined);
  return isRightful(state, who, hold)
    ? changeMessage(without, hold.message, { at: 'ready', owner: 0 })
    : without;
}

/** Gives back messages that the table says are ours but we don't know of. */
export function giveBackUnknown(state: LeaseState, who: number): LeaseState {
  const { lease, holds } = consumerOf(state, who);
  const known = new Set(holds.filter((hold) => hold.under === lease).map((hold) => hold.message));
  return freeMessages(state, ({ owner }, index) => owner === lease && !known.has(index));
}

export function lapse(state: LeaseState, number: number): LeaseState {
  return changeLease(state, number, true);
}

export function renew(state: LeaseState, who: number): LeaseState {
  return changeLease(state, consumerOf(state, who).lease, false);
}

/** Deletes the rows of lapsed leases. */
export function sweep(state: LeaseState): LeaseState {
  if (!state.leases.some(({ lapsed }) => lapsed)) return state;
  return { ...state, leases: state.leases.filter(({ lapsed }) => !lapsed) };
}

/** Makes messages ready again whose lease is gone. */
export function rescue(state: LeaseState, flaw?: LeaseFlaw): LeaseState {
  const early = flaw === 'lapsed leases are rescued before they are swept';
  const running = (index: number) =>
    state.consumers.some(({ holds }) => holds.some((hold) => hold.message === index && hold.running));
  const freed = freeMessages(state, ({ owner }, index) => {
    if (flaw === 'only started messages are rescued' && !running(index)) return false;
    return !state.leases.some(({ number, lapsed }) => number === owner && !(early && lapsed));
  });
  if (flaw !== 'a rescue forgets the attempts') return freed;
  const messages = freed.messages.map((message, index) =>
    message.at === messageOf(state, index).at ? message : { ...message, attempts: 0 },
  );
  return { ...freed, messages };
}

export function promote(state: LeaseState): LeaseState {
  if (!state.messages.some(({ at }) => at === 'delayed')) return state;
  const messages = state.messages.map((message) =>
    message.at === 'delayed' ? { ...message, at: 'ready' as const } : message,
  );
  return { ...state, messages };
}

/** Returns dead letters to the queue with zero attempts. */
export function redrive(state: LeaseState): LeaseState {
  const messages = state.messages.map((message) =>
    message.at === 'dead' ? { ...message, at: 'ready' as const, attempts: 0 } : message,
  );
  return { ...state, messages };
}

/** `kill -9`: the consumer reports nothing about the messages it held. */
export function die(state: LeaseState, who: number): LeaseState {
  return changeConsumer(state, who, { alive: false, holds: [] });
}

/** Whether the message is claimed under the consumer's current lease number. */
export function isRightful(state: LeaseState, who: number, hold: ModelHold): boolean {
  const message = messageOf(state, hold.message);
  const ours = hold.under === consumerOf(state, who).lease && hasLease(state, hold.under);
  return ours && message.at === 'claimed' && message.owner === hold.under;
}

export function hasLease({ leases }: LeaseState, number: number): boolean {
  return leases.some((lease) => lease.number === number);
}

export function messageOf({ messages }: LeaseState, index: number): ModelMessage {
  const message = messages[index];
  if (!message) throw new Error(`the model has no message ${index}`);
  return message;
}

export function consumerOf({ consumers }: LeaseState, who: number): ModelConsumer {
  const consumer = consumers[who];
  if (!consumer) throw new Error(`the model has no consumer ${who}`);
  return consumer;
}

function freeMessages(
  state: LeaseState,
  which: (message: ModelMessage, index: number) => boolean,
): LeaseState {
  if (!state.messages.some((message, index) => message.at === 'claimed' && which(message, index)))
    return state;
  const messages = state.messages.map((message, index) =>
    message.at === 'claimed' && which(message, index)
      ? { ...message, at: 'ready' as const, owner: 0 }
      : message,
  );
  return { ...state, messages };
}

function changeMessage(state: LeaseState, index: number, change: Partial<ModelMessage>): LeaseState {
  return { ...state, messages: state.messages.with(index, { ...messageOf(state, index), ...change }) };
}

function changeConsumer(state: LeaseState, who: number, change: Partial<ModelConsumer>): LeaseState {
  return { ...state, consumers: state.consumers.with(who, { ...consumerOf(state, who), ...change }) };
}

function changeHold(
  state: LeaseState,
  who: number,
  hold: ModelHold,
  changed: ModelHold | undefined,
): LeaseState {
  const holds = consumerOf(state, who).holds.flatMap((other) => {
    if (other !== hold) return [other];
    return changed ? [changed] : [];
  });
  return changeConsumer(state, who, { holds });
}

function changeLease(state: LeaseState, number: number, lapsed: boolean): LeaseState {
  if (!state.leases.some((lease) => lease.number === number && lease.lapsed !== lapsed)) return state;
  return {
    ...state,
    leases: state.leases.map((lease) => (lease.number === number ? { number, lapsed } : lease)),
  };
}
