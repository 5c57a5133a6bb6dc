/** Sends chunks as they come, so many at once. The first failure ends it, also if it comes while the next chunk is awaited. */
export async function sendAhead<Chunk>(
  chunks: AsyncIterable<Chunk>,
  atOnce: number,
  send: (chunk: Chunk) => Promise<void>,
): Promise<void> {
  const under = new Set<Promise<void>>();
  const failures: unknown[] = [];
  for await (const chunk of chunks) {
    if (failures.length > 0) break;
    const sending: Promise<void> = send(chunk)
      .catch((error: unknown) => void failures.push(error))
      .finally(() => under.delete(sending));
    under.add(sending);
    if (under.size >= atOnce) await Promise.race(under);
  }
  await Promise.all(under);
  if (failures.length > 0) throw failures[0];
}
