import type { Model, Step } from '../../../testing/explore.ts';

/**
 * The outbox as pure steps: transactions that write state and messages, and publishers that may die, or go on after they
 * are deposed, between any two steps.
 */
export interface OutboxState {
  transactions: ModelTransaction[];
  /** The table, in the order added, and the queue, including duplicates. */
  rows: string[];
  queue: string[];
  publishers: Publisher[];
}

export interface ModelTransaction {
  ids: readonly string[];
  is: 'open' | 'half committed' | 'committed' | 'rolled back';
}

interface Publisher {
  /** The rows it has read and not published yet; null if it has read nothing. */
  left: string[] | null;
  published: string[];
}

/** Bugs that an outbox could have; the tests prove that the check finds them. */
export type OutboxFlaw =
  | 'messages are published before the commit'
  | 'rows are deleted before they are published'
  | 'state and messages are committed one after the other'
  | 'a message gets another id each time'
  | 'the next message goes out although one was refused';

export interface Seen {
  transactions: readonly ModelTransaction[];
  rows: readonly string[];
  queue: readonly string[];
}

/** A message is in the table or in the queue if, and only if, its state is committed; under its own id, in its order. */
export function whatIsWrong({ transactions, rows, queue }: Seen): string | undefined {
  const known = transactions.flatMap(({ ids }) => ids);
  const strange = queue.find((id) => !known.includes(id));
  if (strange) return `${strange} is an unknown id`;
  for (const { ids, is } of transactions) {
    const first = ids.map((id) => queue.indexOf(id));
    if (is !== 'committed' && is !== 'half committed') {
      if (first.some((place) => place >= 0)) return `${ids} was published for nothing`;
      continue;
    }
    const lost = ids.find((id, index) => first[index] === -1 && !rows.includes(id));
    if (is === 'committed' && lost) return `${lost} is lost`;
    const published = first.filter((place) => place >= 0);
    // Published messages are a prefix of the list, each first published after the one before.
    const inOrder = first
      .slice(0, published.length)
      .every((place, index) => place >= (first[index - 1] ?? 0));
    if (!inOrder || first.slice(0, published.length).includes(-1)) return `${ids} is out of order`;
  }
  return undefined;
}

export function outboxModel(
  bounds: { transactions: readonly (readonly string[])[]; publishers: number; published: number },
  flaw?: OutboxFlaw,
): Model<OutboxState> {
  const none: Publisher = { left: null, published: [] };
  return {
    initial: {
      transactions: bounds.transactions.map((ids) => ({ ids, is: 'open' })),
      rows: [],
      queue: [],
      publishers: Array.from({ length: bounds.publishers }, () => none),
    },
    *steps(state) {
      for (const index of state.transactions.keys()) yield* transactionSteps(state, index, flaw);
      for (const who of state.publishers.keys())
        for (const step of publisherSteps(state, who, flaw))
          if (step[1].queue.length <= bounds.published) yield step;
    },
    nameOf: ({ publishers, ...rest }) =>
      JSON.stringify([publishers.map((publisher) => JSON.stringify(publisher)).sort(), rest]),
    wrong: whatIsWrong,
  };
}

function* transactionSteps(
  state: OutboxState,
  index: number,
  flaw?: OutboxFlaw,
): Iterable<Step<OutboxState>> {
  const transaction = state.transactions[index];
  if (!transaction) return;
  const { ids, is } = transaction;
  const ends = (end: ModelTransaction['is'], added: readonly string[] = []): OutboxState => ({
    ...state,
    transactions: state.transactions.with(index, { ids, is: end }),
    rows: [...state.rows, ...added],
  });
  const inTwo = flaw === 'state and messages are committed one after the other';
  if (is === 'open') {
    // The writer may die after the first of two commits: then the transaction counts as committed.
    yield inTwo
      ? [`${ids} is half committed`, ends('half committed')]
      : [`${ids} is committed`, ends('committed', ids)];
    yield [`${ids} is rolled back`, ends('rolled back')];
    if (flaw === 'messages are published before the commit')
      yield [`${ids} is published early`, { ...state, queue: [...state.queue, ...ids] }];
  }
  if (is === 'half committed') {
    yield [`the rest of ${ids} is committed`, ends('committed', ids)];
    yield [`the writer of ${ids} dies`, ends('committed')];
  }
}

function* publisherSteps(state: OutboxState, who: number, flaw?: OutboxFlaw): Iterable<Step<OutboxState>> {
  const publisher = state.publishers[who];
  if (!publisher) return;
  const { left, published } = publisher;
  const becomes = (changed: Publisher, more: Partial<OutboxState> = {}): OutboxState => ({
    ...state,
    ...more,
    publishers: state.publishers.with(who, changed),
  });
  const without = (gone: readonly string[]) => state.rows.filter((id) => !gone.includes(id));
  if (left === null) {
    const early = flaw === 'rows are deleted before they are published';
    if (state.rows.length > 0)
      yield [
        `${who} reads`,
        becomes({ left: state.rows, published: [] }, early ? { rows: without(state.rows) } : {}),
      ];
    return;
  }
  yield [`${who} dies`, becomes({ left: null, published: [] })];
  yield [`${who} deletes`, becomes({ left: null, published: [] }, { rows: without(published) })];
  const [id, ...rest] = left;
  if (id === undefined) return;
  const again = flaw === 'a message gets another id each time' && state.queue.includes(id);
  const queue = [...state.queue, again ? `${id} again` : id];
  yield [`${who} publishes ${id}`, becomes({ left: rest, published: [...published, id] }, { queue })];
  // Refused, or published and the answer lost: either way nothing more goes out in this turn.
  const stops = flaw === 'the next message goes out although one was refused' ? rest : [];
  yield [`${who} is refused ${id}`, becomes({ left: stops, published })];
  yield [`${who} publishes ${id} and gets no answer`, becomes({ left: stops, published }, { queue })];
}
