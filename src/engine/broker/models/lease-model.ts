import type { Lane } from '../broker.ts';

/**
 * Leases, claims and settlements of a broker in SQL tables, as pure steps from state to state. A consumer is a process;
 * its lease is one row, and everything that it claims bears the number of that row. Time is left out: a lease may lapse
 * at any moment, and what is delayed may become ready at any moment.
 */
export interface LeaseState {
  /** In the order of publishing. */
  messages: ModelMessage[];
  consumers: ModelConsumer[];
  /** The rows that say who lives. A lapsed one still counts until it is swept away. */
  leases: { number: number; lapsed: boolean }[];
  lastLease: number;
}

export interface ModelMessage {
  lane: Lane;
  at: 'unsent' | 'ready' | 'delayed' | 'claimed' | 'dead' | 'gone';
  /** The lease under which it is claimed; 0 for none. */
  owner: number;
  attempts: number;
  /** How often a handler was really started: nobody stores it. */
  starts: number;
}

export interface ModelConsumer {
  lease: number;
  alive: boolean;
  /** What it believes to have. */
  holds: ModelHold[];
}

export interface ModelHold {
  message: number;
  under: number;
  attempts: number;
  running: boolean;
}

export type Settling = 'acks' | 'retries' | 'buries' | 'releases';

/** Mistakes that a broker could make, for the proof that the check would find them. */
export type LeaseFlaw =
  | 'anybody settles'
  | 'the lapsed are rescued before they are swept'
  | 'numbers of leases come again'
  | 'a claim is charged'
  | 'normal ones come first'
  | 'only what was started is rescued'
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

/** The message that is next for whoever asks: the high lane first, then the order of publishing. */
export function nextReady({ messages }: LeaseState, first: Lane = 'high'): number {
  const ready = (lane: Lane) =>
    messages.findIndex((message) => message.at === 'ready' && message.lane === lane);
  const other = first === 'high' ? 'normal' : 'high';
  return ready(first) >= 0 ? ready(first) : ready(other);
}

/**
 * A consumer whose lease is gone begins again under a new number: what runs goes on, and what was fetched is forgotten.
 * So does another process in the place of one that has died.
 */
export function beginAgain(state: LeaseState, who: number, flaw?: LeaseFlaw): LeaseState {
  const consumer = consumerOf(state, who);
  if (hasLease(state, consumer.lease)) return state;
  const again = flaw === 'numbers of leases come again';
  const number = again ? consumer.lease : state.lastLease + 1;
  const holds = consumer.holds.filter((hold) => hold.running);
  return {
    ...changeConsumer(state, who, { lease: number, alive: true, holds }),
    leases: [...state.leases, { number, lapsed: false }],
    lastLease: Math.max(state.lastLease, number),
  };
}

/** Claims the next message. The answer may get lost: then the table says that it is ours, and we don't know. */
export function claim(state: LeaseState, who: number, answered = true, flaw?: LeaseFlaw): LeaseState {
  const consumer = consumerOf(state, who);
  const index = nextReady(state, flaw === 'normal ones come first' ? 'normal' : 'high');
  const message = messageOf(state, index);
  const attempts = message.attempts + (flaw === 'a claim is charged' ? 1 : 0);
  const claimed = changeMessage(state, index, { at: 'claimed', owner: consumer.lease, attempts });
  if (!answered) return claimed;
  const hold = { message: index, under: consumer.lease, attempts: message.attempts, running: false };
  return changeConsumer(claimed, who, { holds: [...consumer.holds, hold] });
}

/** The handler begins. Nothing is written yet. */
export function start(state: LeaseState, who: number, hold: ModelHold): LeaseState {
  const started = { ...hold, running: true, attempts: hold.attempts + 1 };
  const { starts } = messageOf(state, hold.message);
  return changeMessage(changeHold(state, who, hold, started), hold.message, { starts: starts + 1 });
}

/** The attempt is written, if the message is still ours. */
export function charge(state: LeaseState, who: number, hold: ModelHold): LeaseState {
  const written = messageOf(state, hold.message).attempts === hold.attempts;
  if (written || !isRightful(state, who, hold)) return state;
  return changeMessage(state, hold.message, { attempts: hold.attempts });
}

/** The handler ends with its message, which has an effect only if it is still ours. */
export function settle(
  state: LeaseState,
  who: number,
  hold: ModelHold,
  how: Settling,
  flaw?: LeaseFlaw,
): LeaseState {
  const without = changeHold(state, who, hold, undefined);
  const { at } = messageOf(state, hold.message);
  const careless = flaw === 'anybody settles' && at !== 'gone';
  if (!isRightful(state, who, hold) && !careless) return without;
  const becomes = { acks: 'gone', retries: 'delayed', buries: 'dead', releases: 'ready' } as const;
  const attempts = how === 'releases' ? hold.attempts - 1 : hold.attempts;
  return changeMessage(without, hold.message, { at: becomes[how], owner: 0, attempts });
}

/** What was fetched ahead goes back. */
export function giveBack(state: LeaseState, who: number, hold: ModelHold): LeaseState {
  const without = changeHold(state, who, hold, undefined);
  return isRightful(state, who, hold)
    ? changeMessage(without, hold.message, { at: 'ready', owner: 0 })
    : without;
}

/** What the table says is ours and we don't know goes back. */
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

/** Somebody takes the lapsed for dead: their rows go. */
export function sweep(state: LeaseState): LeaseState {
  if (!state.leases.some(({ lapsed }) => lapsed)) return state;
  return { ...state, leases: state.leases.filter(({ lapsed }) => !lapsed) };
}

/** What is claimed under a lease that is gone is ready again. */
export function rescue(state: LeaseState, flaw?: LeaseFlaw): LeaseState {
  const early = flaw === 'the lapsed are rescued before they are swept';
  const running = (index: number) =>
    state.consumers.some(({ holds }) => holds.some((hold) => hold.message === index && hold.running));
  const freed = freeMessages(state, ({ owner }, index) => {
    if (flaw === 'only what was started is rescued' && !running(index)) return false;
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

/** Dead letters are given back with no attempts. */
export function redrive(state: LeaseState): LeaseState {
  const messages = state.messages.map((message) =>
    message.at === 'dead' ? { ...message, at: 'ready' as const, attempts: 0 } : message,
  );
  return { ...state, messages };
}

/** `kill -9`: what it held is not said to anybody. */
export function die(state: LeaseState, who: number): LeaseState {
  return changeConsumer(state, who, { alive: false, holds: [] });
}

/** Claimed under the number that the consumer has, and that the message bears. */
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
