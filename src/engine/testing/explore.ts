/** A model small enough to try everything it can do. States are plain JSON. */
export interface Model<State> {
  initial: State;
  /** Everything that may happen next, by name; a step that changes nothing may return the state itself. */
  steps(state: State): Iterable<Step<State>>;
  /** States that differ only in the names of the participants may share a name: one of them is enough. */
  nameOf?(state: State): string;
  /** What is wrong after a step, if anything. */
  wrong(state: State, before: State, step: string): string | undefined;
}

export type Step<State> = readonly [name: string, next: State];

export interface Exploration {
  states: number;
  steps: number;
  /** The shortest way to something wrong. */
  flaw: { why: string; way: string[] } | undefined;
}

interface Visit<State> {
  state: State;
  step: string;
  from: Visit<State> | undefined;
}

/**
 * Tries every order of steps, short ones first, and stops at the first that goes wrong. An endless model is a mistake in
 * the model: the search fails after `most` states.
 */
export function explore<State>(model: Model<State>, most = 1_000_000): Exploration {
  const nameOf = model.nameOf ?? JSON.stringify;
  const seen = new Set([nameOf(model.initial)]);
  let steps = 0;
  let edge: Visit<State>[] = [{ state: model.initial, step: '', from: undefined }];
  while (edge.length > 0) {
    const next: Visit<State>[] = [];
    for (const visit of edge) {
      for (const [step, state] of model.steps(visit.state)) {
        if (state === visit.state) continue;
        steps++;
        const why = model.wrong(state, visit.state, step);
        if (why !== undefined) {
          return { states: seen.size, steps, flaw: { why, way: wayTo({ state, step, from: visit }) } };
        }
        const size = seen.size;
        if (seen.add(nameOf(state)).size === size) continue;
        if (size >= most) throw new Error(`the model has more than ${most} states: make it smaller`);
        next.push({ state, step, from: visit });
      }
    }
    edge = next;
  }
  return { states: seen.size, steps, flaw: undefined };
}

function wayTo<State>(visit: Visit<State>): string[] {
  const way: string[] = [];
  for (let at: Visit<State> | undefined = visit; at?.from; at = at.from) way.unshift(at.step);
  return way;
}
