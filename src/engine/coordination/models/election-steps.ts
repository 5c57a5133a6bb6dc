import type { Model, Step } from '../../testing/explore.ts';
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

/** How far it goes: so many sessions, fences and accepted writes. */
interface Bounds {
  candidates: number;
  sessions: number;
  fences: number;
  writes: number;
}

/** Everything that candidates and the tree can do, in every order. */
export function electionModel(bounds: Bounds, flaw?: ElectionFlaw): Model<ElectionState> {
  return {
    initial: newElection(bounds.candidates),
    *steps(state) {
      for (const who of state.candidates.keys()) yield* candidateSteps(bounds, state, who, flaw);
      if (state.lastFence < bounds.fences) yield ['the next one is granted the lead', grant(state)];
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
  yield [`${who} learns that it is out`, learn(state, who)];
  if (leads > 0 && !sent && state.writes < bounds.writes) yield [`${who} sends`, send(state, who)];
  if (leads > 0) yield [`${who} releases`, release(state, who, flaw)];
  yield [`what ${who} sent arrives`, arrive(state, who, flaw)];
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
  if (holder && !state.sessions.includes(holder.session)) return 'a session that is over holds';
  return takenAway(state, before);
}

/** A hold ends with its session or by its own holder. */
function takenAway(state: ElectionState, before: ElectionState): string | undefined {
  const { holder } = before;
  if (!holder || state.holder || !state.sessions.includes(holder.session)) return undefined;
  const who = before.candidates.findIndex(({ session }) => session === holder.session);
  const itself = who >= 0 && candidateOf(before, who).leads !== candidateOf(state, who).leads;
  const mine = who >= 0 && candidateOf(before, who).leads === holder.fence;
  return itself && mine ? undefined : `fence ${holder.fence} was taken from who holds it`;
}
