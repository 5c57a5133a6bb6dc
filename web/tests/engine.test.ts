import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openWindow, type RunningConsole, runConsole } from './running-console.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let running: RunningConsole;
let page: Page;
let faults: string[];

/** Calls an operation as the page does. */
async function call(operation: string, input: object): Promise<unknown> {
  const response = await page.request.post(`${running.url}/api/v1/${operation.replace('.', '/')}`, {
    data: input,
    headers: { origin: running.url },
  });
  assert.ok(response.ok(), `${operation}: ${await response.text()}`);
  return response.json();
}

async function violations(): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    // biome-ignore lint/suspicious/noExplicitAny: the page has no types
    const { violations } = await (globalThis as any).axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
    });
    return violations.map(
      ({ id, nodes }: { id: string; nodes: { html: string }[] }) => `${id}: ${nodes[0]?.html.slice(0, 160)}`,
    );
  });
}

before(async () => {
  running = await runConsole();
  ({ page, faults } = await openWindow(running));
  page.setDefaultTimeout(60_000);
  const token = new URL(running.setupLink).hash.slice(1);
  await call('setup.claim', { token, name: 'anna', password: 'correct horse battery' });
  await call('stage.create', {
    name: 'trial',
    processor: 'dummy',
    config: 'DUMMY = True\nFAILURE_RATE = 1\n',
    retry: { attempts: 1 },
  });
  await call('stage.create', { name: 'before', processor: 'dummy', config: 'DUMMY = True\n' });
  // Two requests whose way ends in a stage: what fails there is a dead letter.
  const action = { kind: 'publish', stages: ['before', 'trial'], files: [{ name: 'a.txt', content: 'a' }] };
  await call('schedule.create', {
    name: 'send',
    definition: { when: { kind: 'cron', cron: '0 3 1 1 *' }, action },
  });
  await call('schedule.run', { name: 'send' });
  await call('schedule.run', { name: 'send' });
});
after(() => running.close());

const open = (path: string) => page.goto(`${running.url}/console/engine/${path}`);

test('the overview says that letters have died, leads to them, and they are redriven after a look at the reason', async () => {
  await open('overview');
  await page.getByRole('heading', { name: 'Who served what' }).waitFor();
  await page.getByRole('row', { name: /trial/ }).getByRole('link').first().click();
  await page.getByRole('button', { name: /Dead letters/ }).click();
  await page.getByText('2 dead letters').waitFor();
  assert.deepEqual(await violations(), []);
  await page.getByLabel('Reason contains').fill('no such reason');
  await page.getByText('No dead letter matches').waitFor();
  await page.getByLabel('Reason contains').fill('');
  await call('stage.configure', { name: 'trial', config: 'DUMMY = True\nFAILURE_RATE = 0\n' });
  await page.getByRole('button', { name: 'Redrive all 2' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Redrive 2 letters' }).click();
  await page.getByText('No dead letters').waitFor();
});

test('what a stage was is seen in its versions, and it is taken back by keyboard', async () => {
  await open('stages/trial?show=versions');
  await page.getByText('−', { exact: false }).first().waitFor();
  await page.getByRole('button', { name: 'Take back to this version' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Take back to this version' }).click();
  await page.getByText('Version 3 is like version 1').waitFor();
});

test('a worker is sent to a stage and pinned there, and it is undone', async () => {
  await open('workers');
  await page.getByRole('row').nth(1).getByRole('link').click();
  await page.getByRole('button', { name: 'Send to a stage' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Stage').selectOption('trial');
  await dialog.getByLabel('Keep it there').check();
  await dialog.getByRole('button', { name: 'Send to a stage' }).click();
  await page.getByText('pinned by hand').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('pinned by hand').waitFor({ state: 'detached' });
});

test('the time line and the watchdog are there without a mouse', async () => {
  await open('overview?timeline=table');
  await page.getByRole('columnheader', { name: 'Switching' }).waitFor();
  assert.deepEqual(await violations(), []);
  await open('watchdog');
  await page.getByRole('button', { name: 'What would it do now?' }).press('Enter');
  await page.getByRole('heading', { name: 'What it would do now' }).waitFor();
  assert.deepEqual(await violations(), []);
});

test('a schedule is run now, and its log is beside its runs', async () => {
  await open('schedules/send');
  await page.getByRole('button', { name: 'Run now' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Run now' }).click();
  await page.getByRole('log').waitFor();
  assert.deepEqual(await violations(), []);
});

test('nothing of all this was an error, or refused by the content policy', () => {
  assert.deepEqual(faults, []);
});
