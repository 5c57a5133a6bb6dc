import type { BacklogItem } from '../backlog/backlog.ts';
import { type Request, toMessage } from './request.ts';

/** A request as an item of the backlog. Its owner takes turns with others; '' if nobody owns it. */
export function requestItem(
  request: Request,
  more: Pick<BacklogItem, 'batch'> & Partial<BacklogItem>,
): BacklogItem {
  const [queue = '', ...later] = request.processingStages;
  // The last name is the output queue, which may be as long as its reader likes.
  return { queue, owner: request.owner, route: later.slice(0, -1), message: toMessage(request), ...more };
}
