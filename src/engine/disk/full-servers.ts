/** After this time without a refusal, the server is asked to store something again. */
const refusedMs = 10_000;

/** When servers last refused to store something because their disk was full, by their URL. What one connection hears, all should know. */
const refusedAt = new Map<string, number>();

export function noteFullServer(url: string): void {
  refusedAt.set(url, performance.now());
}

export function isFullServer(url: string): boolean {
  return performance.now() - (refusedAt.get(url) ?? Number.NEGATIVE_INFINITY) < refusedMs;
}
