import type { ChangeLog } from '../../engine/event/change-log.ts';

const kind = 'robot';

/** Announces that a crawl was created or has changed its state. */
export function tellChange(changes: ChangeLog, crawl: { id: string; owner: string; state: string }): void {
  changes.add({ kind, entity: crawl.id, owner: crawl.owner, data: { state: crawl.state } });
}

/** Announces that a crawl has gone on. */
export function tellProgress(changes: ChangeLog, { id, owner }: { id: string; owner: string }): void {
  changes.addJoined({ kind, entity: id, owner, data: { progress: true } });
}

/** Calls `listener` when a crawl is created or changes its state; the returned function unsubscribes. */
export function crawlsChanged(changes: ChangeLog, listener: () => void): () => void {
  return changes.subscribe((change) => {
    if (change.kind === kind && !change.data?.progress) listener();
  });
}
