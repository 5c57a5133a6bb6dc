import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { sendCampaign } from './mail/campaign-part.ts';
import { overtake } from './mail/overtaking-part.ts';
import { sendReadyMade } from './mail/ready-made-part.ts';
import { startRelay } from './mail/relay-process.ts';

/**
 * What a campaign costs on the embedded queue, beside the same mails without a queue and nodemailer's pool, in one run.
 * `node bench/mail.ts [--mails 50000] [--newsletters 200000] [--json FILE]`
 */
const { values } = parseArgs({
  options: {
    ...{ json: { type: 'string' }, mails: { type: 'string', default: '50000' } },
    newsletters: { type: 'string', default: '200000' },
  },
});
const mails = Number(values.mails);
const smtpSource = '/usr/sbin/smtp-source';
const relay = await startRelay();
const moody = await startRelay(['450@rcpt:2.5%', '554@rcpt:2.5%']);
const directory = await mkdtemp(join(tmpdir(), 'pismak-bench-dkim-'));
const figures: Record<string, unknown> = { relay: relay.name, mails };
const measure = async (name: string, work: () => Promise<unknown>) => {
  figures[name] = await work();
  console.log(name, figures[name]);
};

try {
  if (existsSync(smtpSource))
    await measure('smtp-source, 10 sessions', async () => {
      const began = performance.now();
      await promisify(execFile)(smtpSource, [
        '-s',
        '10',
        '-l',
        '6000',
        '-m',
        String(mails),
        `127.0.0.1:${relay.port}`,
      ]);
      return { perSecond: Math.round((mails / (performance.now() - began)) * 1000) };
    });
  await measure('without a queue', () => sendReadyMade(mails, relay.url));
  await measure('campaign', () => sendCampaign(mails, [{ url: relay.url }]));
  const dkimKeyFile = join(directory, 'key.pem');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  await writeFile(dkimKeyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  await measure('campaign, DKIM RSA-2048', () =>
    sendCampaign(mails, [{ url: relay.url }], { dkimDomain: 'example.org', dkimKeyFile }),
  );
  await measure('campaign, 5 % of 4xx and 5xx', () =>
    sendCampaign(mails, [{ url: moody.url }], { retryMs: 1000 }),
  );
  await measure('three relays', () =>
    sendCampaign(
      mails,
      [1, 2, 3].map(() => ({ url: relay.url, connections: 10 })),
    ),
  );
  await measure('orders behind newsletters', () => overtake(Number(values.newsletters), 50, relay.url));
} finally {
  await relay.close();
  await moody.close();
  await rm(directory, { recursive: true, force: true });
}
if (values.json) {
  const machine = { node: process.version, cores: availableParallelism(), at: new Date().toISOString() };
  await writeFile(values.json, `${JSON.stringify({ machine, ...figures }, null, 2)}\n`);
}
process.exit(0);
