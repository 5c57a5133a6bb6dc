/**
 * `npm run prove -- mail [--only embedded,servers,orders]`: a campaign of 50,000 mails survives 20 kills of the one process, and
 * 20 kills of senders, recorder, generator and nodes of the broker; order confirmations pass 1,000,000 newsletters, in the
 * backlog and as whole mails in the queue of RabbitMQ.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startRelay } from '../../bench/mail/relay-process.ts';
import { runPart } from '../../bench/mail/run-part.ts';
import { startPostgres } from '../../src/engine/testing/servers/postgres.ts';
import { startRabbitCluster } from '../../src/engine/testing/servers/rabbitmq.ts';
import { surviveMailKills } from '../mail/mail-kills.ts';
import { surviveServerKills } from '../mail/mail-server-kills.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    only: { type: 'string', default: 'embedded,servers,orders' },
    kills: { type: 'string', default: '20' },
    recipients: { type: 'string', default: '50000' },
    'life-ms': { type: 'string', default: '4000' },
    newsletters: { type: 'string', default: '1000000' },
    orders: { type: 'string', default: '200' },
  },
});
const wanted = new Set(values.only.split(','));
const began = performance.now();
const say = (line: string) => console.log(`${((performance.now() - began) / 1000).toFixed(0)} s: ${line}`);
const figures: Record<string, object> = {};
const faults: string[] = [];

const kills = { embedded: surviveMailKills, servers: surviveServerKills };
for (const [name, survive] of Object.entries(kills)) {
  if (!wanted.has(name)) continue;
  say(`${name}: ${values.kills} kills during ${values.recipients} mails`);
  const directory = await mkdtemp(join(tmpdir(), 'pismak-mail-'));
  const found = await survive({
    directory,
    say,
    kills: Number(values.kills),
    recipients: Number(values.recipients),
    lifeMs: Number(values['life-ms']),
  });
  await rm(directory, { recursive: true, force: true });
  figures[name] = found;
  console.table([found]);
  const { lost, wrong, duplicates, counted, inFlight, inHand } = found;
  if (lost > 0 || wrong > 0) faults.push(`${name}: ${lost} mails were lost, ${wrong} went wrong`);
  if (duplicates > counted) faults.push(`${name}: ${duplicates} mails came twice, ${counted} were counted`);
  if (duplicates > inFlight)
    faults.push(`${name}: ${duplicates} mails came twice, ${inFlight} were in flight`);
  if (counted > inHand) faults.push(`${name}: ${counted} mails were counted, ${inHand} were in hand`);
}

if (wanted.has('orders')) {
  const newsletters = Number(values.newsletters);
  const relay = await startRelay();
  const behind = { newsletters, orders: Number(values.orders), relays: [{ url: relay.url }] };
  const judge = (name: string, found: { p99Ms: number; stillWaiting: number }) => {
    figures[name] = found;
    console.table([found]);
    if (found.p99Ms >= 1000) faults.push(`${name}: the 99th percentile is ${found.p99Ms} ms`);
    if (found.stillWaiting <= 0) faults.push(`${name}: the newsletters were gone before the orders came`);
  };
  say(`orders behind ${newsletters} newsletters in the backlog`);
  judge('orders, newsletters in the backlog', await runPart('overtake', behind));
  say(`orders behind ${newsletters} whole newsletters in the queue of RabbitMQ`);
  const [rabbit, postgres] = await Promise.all([startRabbitCluster(1), startPostgres()]);
  const url = await postgres.createDatabase();
  const engine = { coordination: url, database: url, blobs: url };
  const { url: broker } = await rabbit.createHost();
  judge('orders, newsletters in the queue', await runPart('overtake', { ...behind, broker, engine }));
  await Promise.all([relay.close(), rabbit.close(), postgres.close()]);
}

if (values.json) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
for (const fault of faults) console.log(`THAT WENT WRONG: ${fault}`);
if (faults.length === 0)
  say(`${[...wanted].join(', ')}: nothing was lost, what may be there twice is counted, no order was late`);
process.exit(faults.length === 0 ? 0 : 1);
