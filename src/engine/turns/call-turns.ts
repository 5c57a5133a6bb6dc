import { OwnerSlots } from './owner-slots.ts';

/** Turns for calls that run at the same time in one process. */
export interface CallTurns {
  /** Calls of operations whose work is heavy. */
  readonly calls: OwnerSlots;
  readonly downloads: OwnerSlots;
  /** Archives and other streams that compress their content. */
  readonly largeDownloads: OwnerSlots;
}

export function createCallTurns(): CallTurns {
  return {
    // Few, so that together they can't keep the machine from its work, but more than two users can hold.
    calls: new OwnerSlots({ inAll: 8, perOwner: 2, waitingPerOwner: 50, what: 'calls' }),
    downloads: new OwnerSlots({ inAll: 256, perOwner: 16, waitingPerOwner: 50, what: 'downloads' }),
    largeDownloads: new OwnerSlots({ inAll: 16, perOwner: 2, waitingPerOwner: 10, what: 'large downloads' }),
  };
}
