import type { TestContext } from 'node:test';
import type { Engine } from '../../engine/engine.ts';
import { openEngine } from '../../engine/open-engine.ts';
import { type Settings, settingsSchema } from '../../engine/settings/settings.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import type { Clock } from '../../engine/time/clock.ts';

/** The embedded engine in a directory of its own, without workers and services. Closed at the end of the test. */
export async function openTestEngine(
  test: Pick<TestContext, 'after'>,
  options: { http?: Partial<Settings['http']>; clock?: Clock } = {},
): Promise<Engine> {
  const data = await temporaryDirectory(test);
  const settings = settingsSchema.parse({
    data,
    http: { port: 0, ...options.http },
    log: { level: 'silent' },
  });
  const engine = await openEngine(settings, {
    purpose: 'test',
    ...(options.clock && { clock: options.clock }),
  });
  test.after(() => engine.close());
  return engine;
}
