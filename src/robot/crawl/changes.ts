import type { ChangeLog } from '../../engine/event/change-log.ts';

const kind = 'robot';

/** Says that a crawl was made or has another state. */
export function tellChange(changes: ChangeLog, crawl: { id: string; owner: string; state: string }): void {
  changes.add({ kind, entity: crawl.id, owner: crawl.owner, data: { state: crawl.state } });
}

/** Calls back when a crawl of this process changes; the returned function ends it. */
export function crawlsChanged(changes: ChangeLog, listener: () => void): () => void {
  return changes.subscribe((change) => {
    if (change.kind === kind) listener();
  });
}
