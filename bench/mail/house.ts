import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedWork } from '../../src/cli/client/embedded-work.ts';
import { defineSettings } from '../../src/engine/settings/setting.ts';
import { mail } from '../../src/mail/house.ts';

/** The house of mail on an engine in this process, in a directory of its own unless `data` names one. */
export async function openHouse({ data: given, ...settings }: Record<string, unknown> & { data?: string }) {
  const data = given ?? (await mkdtemp(join(tmpdir(), 'pismak-bench-mail-')));
  const parsed = defineSettings([mail]).schema.parse({ data, log: { level: 'silent' }, ...settings });
  const signal = new AbortController().signal;
  const client = await openEmbeddedWork(parsed, { purpose: 'bench', workers: 0, houses: [mail], signal });
  return {
    client,
    async close() {
      await client.close();
      if (given === undefined) await rm(data, { recursive: true, force: true });
    },
  };
}
