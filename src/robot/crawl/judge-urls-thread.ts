/** A thread that judges URLs by the expressions of a user. It is killed if it takes too long. */
import { parentPort, workerData } from 'node:worker_threads';
import { chunks } from '../../engine/ground/chunks.ts';
import { messageOf } from '../../engine/ground/errors.ts';
import { giveWayAsThread } from '../../engine/process/give-way.ts';
import { type FromJudge, judgeUrl, type UrlsToJudge } from './judge-urls.ts';
import { loadScope } from './scope.ts';

const { include, exclude, urls } = workerData as UrlsToJudge;
giveWayAsThread();
const tell = (message: FromJudge) => parentPort?.postMessage(message);
try {
  const scope = await loadScope({ include, exclude });
  for (const some of chunks(urls, 500)) tell(some.map((url) => judgeUrl(scope, url)));
  if (urls.length === 0) tell([]);
} catch (error) {
  tell({ unusable: messageOf(error) });
}
