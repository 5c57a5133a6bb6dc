import type { Model, Step } from '../../../testing/explore.ts';
import {
  arrive,
  candidateOf,
  type ElectionFlaw,
  type ElectionState,
  expire,
  grant,
  hear,
  isHolder,
  learn,
  newElection,
  open,
  release,
  restart,
  send,
  stand,
} from './election-model.ts';

/** Limits on the search: sessions, fences and accepted writes. */
interface Bounds {
  candidates: number;
  sessions: number;
  fences: number;
  writes: number;
}

/** Every order of what candidates and the tree can do. */
export function electionModel(bounds: Bounds, flaw?: ElectionFlaw): Model<ElectionState> {
  return {
    initial: newElection(bounds.candidates),
    *steps(state) {
      for (const who of state.candidates.keys()) yield* candidateSteps(bounds, state, who, flaw);
      if (state.lastFence < bounds.fences) yield ['the next session gets the lead', grant(state)];
      for (const session of state.sessions)
        yield [`session ${session} expires`, expire(state, session, flaw)];
      yield ['the tree restarts', restart(state, flaw)];
    },
    nameOf: ({ candidates, ...tree }) =>
      JSON.stringify([candidates.map((candidate) => JSON.stringify(candidate)).sort(), tree]),
    wrong: whatIsWrong,
  };
}

function* candidateSteps(
  bounds: Bounds,
  state: ElectionState,
  who: number,
  flaw?: ElectionFlaw,
): Iterable<Step<ElectionState>> {
  const { session, standing, leads, sent } = candidateOf(state, who);
  if (session === 0 && state.lastSession < bounds.sessions) yield [`${who} opens`, open(state, who)];
  if (session !== 0 && !standing) yield [`${who} stands`, stand(state, who)];
  yield [`${who} hears that it leads`, hear(state, who)];
  yield [`${who} learns that its session is over`, learn(state, who)];
  if (leads > 0 && !sent && state.writes < bounds.writes) yield [`${who} sends`, send(state, who)];
  if (leads > 0) yield [`${who} releases`, release(state, who, flaw)];
  yield [`the write of ${who} arrives`, arrive(state, who, flaw)];
}

function whatIsWrong(state: ElectionState, before: ElectionState): string | undefined {
  if (state.writes > before.writes && state.written) {
    if (before.written && state.written.fence < before.written.fence)
      return `fence ${state.written.fence} wrote over ${before.written.fence}`;
    if (!isHolder(before, state.written)) return `fence ${state.written.fence} wrote without holding`;
  }
  const { holder } = state;
  const granted = holder && !(before.holder && isHolder(before, holder));
  if (granted && holder.fence <= before.greatest) return `fence ${holder.fence} was given twice`;
  if (holder && !state.sessions.includes(holder.session)) return 'an ended session is the holder';
  return takenAway(state, before);
}

/** A hold ends with its session, or when its holder releases it. */
function takenAway(state: ElectionState, before: ElectionState): string | undefined {
  const { holder } = before;
  if (!holder || state.holder || !state.sessions.includes(holder.session)) return undefined;
  const who = before.candidates.findIndex(({ session }) => session === holder.session);
  const itself = who >= 0 && candidateOf(before, who).leads !== candidateOf(state, who).leads;
  const mine = who >= 0 && candidateOf(before, who).leads === holder.fence;
  return itself && mine ? undefined : `fence ${holder.fence} was taken from its holder`;
}
