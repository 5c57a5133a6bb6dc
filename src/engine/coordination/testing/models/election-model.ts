/**
 * Election and fencing as pure steps. What a candidate believes lags behind the tree: it learns late that it leads or
 * that its session is over, and its writes arrive late. A pause is simply the absence of steps.
 */
export interface ElectionState {
  candidates: Candidate[];
  /** Sessions that the tree believes alive. */
  sessions: number[];
  /** Waiting sessions, first come, first served. */
  waiting: number[];
  holder: Lead | null;
  lastSession: number;
  lastFence: number;
  /** The last accepted write. */
  written: Lead | null;
  writes: number;
  /** The greatest fence ever given. No store has this. */
  greatest: number;
}

export interface Lead {
  session: number;
  fence: number;
}

export interface Candidate {
  /** 0: none, and the candidate knows it. */
  session: number;
  standing: boolean;
  /** The news that it leads, while it is on its way. */
  granted: number;
  /** The fence under which it believes it leads; 0 for none. */
  leads: number;
  /** A write on its way. */
  sent: Lead | null;
}

/** Bugs that a tree could have; the tests prove that the check finds them. */
export type ElectionFlaw =
  | 'writes are not checked'
  | 'a live session is enough to write'
  | 'fences restart from zero after a restart'
  | 'an old hold can release a new one'
  | 'an expired session keeps its hold';

export function newElection(candidates: number): ElectionState {
  const none = { session: 0, standing: false, granted: 0, leads: 0, sent: null };
  return {
    candidates: Array.from({ length: candidates }, () => none),
    sessions: [],
    waiting: [],
    holder: null,
    lastSession: 0,
    lastFence: 0,
    written: null,
    writes: 0,
    greatest: 0,
  };
}

export function open(state: ElectionState, who: number): ElectionState {
  const session = state.lastSession + 1;
  return {
    ...change(state, who, { session, standing: false, granted: 0, leads: 0 }),
    sessions: [...state.sessions, session],
    lastSession: session,
  };
}

export function stand(state: ElectionState, who: number): ElectionState {
  const { session } = candidateOf(state, who);
  if (!state.sessions.includes(session)) return state;
  return { ...change(state, who, { standing: true }), waiting: [...state.waiting, session] };
}

/** The tree makes the first waiting session the holder. */
export function grant(state: ElectionState): ElectionState {
  const [session] = state.waiting;
  if (state.holder || session === undefined) return state;
  const fence = state.lastFence + 1;
  const who = state.candidates.findIndex((candidate) => candidate.session === session);
  const told = who >= 0 ? change(state, who, { granted: fence }) : state;
  const greatest = Math.max(state.greatest, fence);
  return { ...told, waiting: state.waiting.slice(1), holder: { session, fence }, lastFence: fence, greatest };
}

export function hear(state: ElectionState, who: number): ElectionState {
  const { granted } = candidateOf(state, who);
  return granted > 0 ? change(state, who, { leads: granted, granted: 0 }) : state;
}

/** The tree considers a session dead. Its candidate does not know yet. */
export function expire(state: ElectionState, session: number, flaw?: ElectionFlaw): ElectionState {
  const keeps = flaw === 'an expired session keeps its hold';
  return {
    ...state,
    sessions: state.sessions.filter((other) => other !== session),
    waiting: state.waiting.filter((other) => other !== session),
    holder: state.holder?.session === session && !keeps ? null : state.holder,
  };
}

/** The candidate learns that its session is over. Its writes are still on their way. */
export function learn(state: ElectionState, who: number): ElectionState {
  const { session } = candidateOf(state, who);
  if (session === 0 || state.sessions.includes(session)) return state;
  return change(state, who, { session: 0, standing: false, granted: 0, leads: 0 });
}

export function send(state: ElectionState, who: number): ElectionState {
  const { session, leads } = candidateOf(state, who);
  return change(state, who, { sent: { session, fence: leads } });
}

/** A write arrives. It is accepted only under the current hold. */
export function arrive(state: ElectionState, who: number, flaw?: ElectionFlaw): ElectionState {
  const { sent } = candidateOf(state, who);
  if (!sent) return state;
  const after = change(state, who, { sent: null });
  const careless =
    flaw === 'writes are not checked' ||
    (flaw === 'a live session is enough to write' && state.sessions.includes(sent.session));
  if (!isHolder(state, sent) && !careless) return after;
  return { ...after, written: sent, writes: state.writes + 1 };
}

export function release(state: ElectionState, who: number, flaw?: ElectionFlaw): ElectionState {
  const { session, leads } = candidateOf(state, who);
  const after = change(state, who, { leads: 0, standing: false });
  const careless = flaw === 'an old hold can release a new one';
  return careless || isHolder(state, { session, fence: leads }) ? { ...after, holder: null } : after;
}

/** Everything stops and starts again from the stored data. */
export function restart(state: ElectionState, flaw?: ElectionFlaw): ElectionState {
  if (state.sessions.length === 0) return state;
  const lastFence = flaw === 'fences restart from zero after a restart' ? 0 : state.lastFence;
  return { ...state, sessions: [], waiting: [], holder: null, lastFence };
}

export function isHolder({ holder }: ElectionState, { session, fence }: Lead): boolean {
  return holder?.session === session && holder.fence === fence;
}

export function candidateOf({ candidates }: ElectionState, who: number): Candidate {
  const candidate = candidates[who];
  if (!candidate) throw new Error(`the model has no candidate ${who}`);
  return candidate;
}

function change(state: ElectionState, who: number, changed: Partial<Candidate>): ElectionState {
  return { ...state, candidates: state.candidates.with(who, { ...candidateOf(state, who), ...changed }) };
}
