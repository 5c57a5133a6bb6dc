/**
 * Sends chunks as they come, at most `atOnce` at a time. Stops at the first failure, even one that occurs while waiting for the next
 * chunk.
 */
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
