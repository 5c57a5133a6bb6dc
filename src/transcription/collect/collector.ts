import { giveUp } from '../../engine/blobs/owners/blob-erasure.ts';
import type { Broker, Delivery } from '../../engine/broker/broker.ts';
import { messageOf } from '../../engine/errors.ts';
import { decodeRequest, type Request } from '../../engine/request/request.ts';
import { requestOwner } from '../../engine/results/result-files.ts';
import type { Running } from '../../engine/service/service.ts';
import { collectQueue, findDocument, type Parts, tellChange } from '../documents/document.ts';
import { finishIfComplete } from '../documents/finish-document.ts';
import { ProgressNews } from '../documents/progress.ts';
import { takePage } from './take-page.ts';
import { takeSource } from './take-source.ts';

const concurrency = 8;
/** After so many attempts it is the message's fault: it waits with the dead letters until somebody looks. */
const mostAttempts = 50;

/**
 * Takes what the stages have finished or given up: sources become pages, pages become results, documents are finished.
 * Everything is decided by what the Database says, so it may run in any number of processes, and messages may come twice.
 */
export async function runCollector(parts: Parts & { broker: Broker }): Promise<Running> {
  const news = new ProgressNews(parts.clock);
  return parts.broker.consume(collectQueue, { concurrency }, async (delivery) => {
    const request = tryDecode(delivery);
    if (typeof request === 'string') return delivery.deadLetter(request);
    try {
      await take(parts, news, request);
    } catch (error) {
      parts.log.warn({ err: error, uuid: request.uuid }, 'a result could not be taken in');
      if (delivery.attempt >= mostAttempts) return delivery.deadLetter(messageOf(error));
      return delivery.retry({ delayMs: 1000, reason: messageOf(error) });
    }
    await delivery.ack();
  });
}

async function take(parts: Parts, news: ProgressNews, request: Request): Promise<void> {
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
    // Of a document that was deleted or cancelled, or of an earlier attempt.
    return database.transaction((transaction) => giveUp(transaction, requestOwner(request), clock.now()));
  }
  if (page) await takePage(parts, page, request);
  else if (source) await takeSource(parts, source, request);
  if (await finishIfComplete(parts, known.document)) return news.forget(known.document);
  if (!news.isDue(known.document)) return;
  const document = await findDocument(database.query, known.document);
  if (document) tellChange(parts, document, document.state);
}

function tryDecode(delivery: Delivery): Request | string {
  try {
    return decodeRequest(delivery.body);
  } catch (error) {
    return messageOf(error);
  }
}
