import type { TestContext } from 'node:test';
import { loadHouses } from '../../engine/house.ts';
import { type OpenedEngine, openEngine } from '../../engine/open-engine.ts';
import { defineSettings } from '../../engine/settings/setting.ts';
import type { Settings } from '../../engine/settings/settings.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import type { Clock } from '../../engine/time/clock.ts';
import { houses } from '../../houses.ts';

/** Made once: a test file may open many engines. */
const definition = defineSettings(houses);

export interface TestEngineOptions {
  http?: Partial<Settings['http']>;
  upload?: Partial<Settings['upload']>;
  /** Further sections of the settings. */
  settings?: Record<string, unknown>;
  clock?: Clock;
  logLevel?: Settings['log']['level'];
}

/**
 * The embedded engine with all houses in its own directory, without workers and services. Closed at the end of the test.
 */
export async function openTestEngine(
  test: Pick<TestContext, 'after'>,
  options: TestEngineOptions = {},
): Promise<OpenedEngine> {
  const data = await temporaryDirectory(test);
  const settings = definition.schema.parse({
    data,
    http: { port: 0, ...options.http },
    upload: options.upload,
    ...options.settings,
    log: { level: options.logLevel ?? 'silent' },
  });
  const engine = await openEngine(settings, {
    purpose: 'test',
    houses: await loadHouses(houses),
    ...(options.clock && { clock: options.clock }),
  });
  test.after(() => engine.close());
  return engine;
}
