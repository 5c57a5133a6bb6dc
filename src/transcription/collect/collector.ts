import { giveUp } from '../../engine/blob-owners/blob-erasure.ts';
import type { Broker, Delivery } from '../../engine/broker/broker.ts';
import { messageOf } from '../../engine/ground/errors.ts';
import { decodeRequest, type Request } from '../../engine/request/request.ts';
import { requestOwner } from '../../engine/request/result-files.ts';
import type { Running } from '../../engine/service/service.ts';
import {
  activeStates,
  collectQueue,
  type DocumentParts,
  findDocument,
  tellChange,
} from '../documents/document.ts';
import { FiguresDue, storeFigures } from '../documents/document-figures.ts';
import { finishIfComplete } from '../documents/finish-document.ts';
import { numberPages } from '../documents/page-numbers.ts';
import { takePage } from './take-page.ts';
import { takeSource } from './take-source.ts';

const concurrency = 8;
/** After this many attempts we blame the message and dead-letter it. */
const mostAttempts = 50;

/**
 * Collects finished and failed requests: sources become pages, pages become results, and complete documents are finished.
 * The database decides every change, so any number of processes may run this, and messages may arrive twice.
 */
export async function runCollector(parts: DocumentParts & { broker: Broker }): Promise<Running> {
  const figures = new FiguresDue(parts.clock);
  return parts.broker.consume(collectQueue, { concurrency }, async (delivery) => {
    const request = tryDecode(delivery);
    if (typeof request === 'string') return delivery.deadLetter(request);
    try {
      await take(parts, figures, request);
    } catch (error) {
      parts.log.warn(
        { err: error, uuid: request.uuid },
        'could not collect a result; it will be retried or dead-lettered',
      );
      if (delivery.attempt >= mostAttempts) return delivery.deadLetter(messageOf(error));
      return delivery.retry({ delayMs: 1000, reason: messageOf(error) });
    }
    await delivery.ack();
  });
}

async function take(parts: DocumentParts, figures: FiguresDue, request: Request): Promise<void> {
  const { clock, database } = parts;
  const { uuid } = request;
  const page = await database.query
    .selectFrom('transcription_page as page')
    .selectAll()
    .where('request', '=', uuid)
    .executeTakeFirst();
  const source = page
    ? undefined
    : await database.query
        .selectFrom('transcription_source as source')
        .selectAll()
        .where('request', '=', uuid)
        .executeTakeFirst();
  const known = page ?? source;
  if (!known || known.state === 'cancelled') {
    // Its document was deleted or cancelled, or it belongs to an earlier attempt.
    return database.transaction((transaction) => giveUp(transaction, requestOwner(request), clock.now()));
  }
  if (page) await takePage(parts, page, request);
  else if (source) {
    await takeSource(parts, source, request);
    await numberPages(parts, source.document);
  }
  if (await finishIfComplete(parts, known.document)) return figures.forget(known.document);
  const document = await findDocument(database.query, known.document);
  if (!document) return;
  if (figures.isDue(document.id)) await storeFigures(database.query, document, { onlyIn: activeStates });
  tellChange(parts, document, document.state);
}

function tryDecode(delivery: Delivery): Request | string {
  try {
    return decodeRequest(delivery.body);
  } catch (error) {
    return messageOf(error);
  }
}
