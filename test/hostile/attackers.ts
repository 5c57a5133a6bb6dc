/**
 * A program of its own, so that its work does not slow the honest user's measurements: plays strangers, readers and users
 * who attack. Gets its orders as JSON in the first argument and sends its figures to its parent.
 */
import { writeFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { seededRandom } from '../../src/engine/simulation/chance.ts';
import { emptyFigures, fault, type Orders } from './attack-figures.ts';
import { sendFiles } from './file-senders.ts';
import { type Known, pick } from './hostile-inputs.ts';
import { sendMails } from './hostile-mails.ts';
import { type Attack, nextAttack } from './hostile-requests.ts';
import { offeredBy } from './operations-list.ts';
import { RawConnections } from './raw-connections.ts';
import { NoReply, type Reply, send, type Visitor } from './target.ts';

const together = 24;

setPriority(19);
// Where Linux groups processes by session, only the priority of the session counts. Other systems have no such file.
await writeFile('/proc/self/autogroup', '19').catch(() => undefined);
process.once('disconnect', () => process.exit(1));
const orders = JSON.parse(process.argv[2] ?? '{}') as Orders;
const figures = emptyFigures();
const random = seededRandom(orders.seed);
const raw = new RawConnections(orders.url, 300);
const progress = setInterval(() => process.send?.({ progress: figures }), 1000);
const over = new AbortController();
const mailing = sendMails(orders, figures, seededRandom(orders.seed + 2), over.signal);
await Promise.all([attackRequests(), sendFiles(orders, figures, seededRandom(orders.seed + 1))]);
over.abort();
await mailing;
raw.close();
clearInterval(progress);
process.send?.({ done: figures }, () => process.exit(0));

async function attackRequests(): Promise<void> {
  const offered = await offeredBy(orders.url, orders.visitors[0] as Visitor);
  const known: Known = { foreign: orders.foreign, own: orders.own };
  figures.operations = offered.length;
  let left = orders.requests;
  const attackOn = async () => {
    while (left-- > 0) {
      const visitor = pick(random, orders.visitors);
      if (random() < 0.02) raw.add(random, visitor.address);
      await attackOnce(visitor, nextAttack(random, offered, known));
    }
  };
  await Promise.all(Array.from({ length: together }, attackOn));
}

async function attackOnce(visitor: Visitor, attack: Attack): Promise<void> {
  figures.requests++;
  figures.kinds[attack.kind] = (figures.kinds[attack.kind] ?? 0) + 1;
  try {
    judge(visitor, attack, await send(orders.url, visitor, attack.sent));
  } catch (error) {
    if (!(error instanceof NoReply)) throw error;
    figures.unanswered++;
    if (error.hung) fault(figures, `${attack.operation} (${attack.kind}) hung: ${error.message}`);
  }
}

function judge(visitor: Visitor, attack: Attack, reply: Reply): void {
  const { status, headers, text } = reply;
  figures.statuses[status] = (figures.statuses[status] ?? 0) + 1;
  const what = `${attack.sent.method} ${attack.sent.path.slice(0, 120)} by ${visitor.name} (${attack.kind})`;
  const refusedForNow = status === 503 && headers['retry-after'] !== undefined;
  if (status >= 500 && status !== 507 && !refusedForNow) {
    const body = String(attack.sent.body ?? '').slice(0, 300);
    fault(figures, `${what}: ${status} ${text.slice(0, 200)}; body ${body}`);
  }
  if (status >= 400 && text.length > 8_000) fault(figures, `${what}: an error of ${text.length} characters`);
  for (const secret of orders.secrets) {
    if (text.includes(secret)) fault(figures, `${what}: shows what belongs to the honest user: ${secret}`);
  }
}
