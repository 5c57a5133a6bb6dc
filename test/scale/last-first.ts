import type { TestContext } from 'node:test';

/** What was started last is closed first: the servers after those who use them. */
export function lastFirst(t: Pick<TestContext, 'after'>): (close: () => Promise<unknown>) => void {
  const closing: (() => Promise<unknown>)[] = [];
  t.after(async () => {
    for (const close of closing.reverse()) await close();
  });
  return (close) => closing.push(close);
}
