import type { BacklogItem } from '../backlog/backlog.ts';
import { type Request, toMessage } from './request.ts';

/** A request as an item of the backlog. Owners take turns; '' is no owner. */
export function requestItem(
  request: Request,
  more: Pick<BacklogItem, 'batch'> & Partial<BacklogItem>,
): BacklogItem {
  const [queue = '', ...later] = request.processingStages;
  // The last name is the output queue, whose length its reader decides.
  return { queue, owner: request.owner, route: later.slice(0, -1), message: toMessage(request), ...more };
}
