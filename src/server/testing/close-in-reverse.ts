/** At the end of a test, closes what the test opened, last opened first. The runner alone would go the other way. */
export function closeInReverse(test: { after(close: () => unknown): void }): {
  after(close: () => unknown): void;
} {
  const closers: (() => unknown)[] = [];
  test.after(async () => {
    for (const close of closers.reverse()) await close();
  });
  return { after: (close) => void closers.push(close) };
}
