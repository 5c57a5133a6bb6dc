import { session } from '../api/session.svelte.ts';
import type { TodoItem, TodoKind } from '../house.ts';
import { housesOn } from '../shell/places.ts';

export interface TodoList {
  kind: TodoKind;
  count: number;
  items: readonly TodoItem[];
}

/** All kinds of work that wait for this person. */
async function kinds(): Promise<TodoKind[]> {
  const loaded = await Promise.all(housesOn().map((house) => house.todo?.()));
  return loaded.flatMap((one) => one?.todo ?? []).filter(({ needs }) => session.may(needs));
}

/** What waits, by kind, and the names of the kinds that did not answer. */
export async function readTodo(limit: number): Promise<{ lists: TodoList[]; missing: TodoKind[] }> {
  const all = await kinds();
  const answers = await Promise.allSettled(all.map(async (kind) => ({ kind, ...(await kind.read(limit)) })));
  return {
    lists: answers.flatMap((one) => (one.status === 'fulfilled' && one.value.count > 0 ? [one.value] : [])),
    missing: all.filter((_, index) => answers[index]?.status === 'rejected'),
  };
}

export async function countTodo(): Promise<number> {
  const { lists } = await readTodo(1);
  return lists.reduce((sum, { count }) => sum + count, 0);
}
