import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { openWindow, type RunningConsole, runConsole } from './running-console.ts';

const password = 'correct horse battery';

let running: RunningConsole;
/** Anna administers; each test opens a page of its own in her window. */
let context: BrowserContext;
let faults: string[];

before(async () => {
  running = await runConsole();
  const opened = await openWindow(running);
  context = opened.context;
  faults = opened.faults;
  const { page } = opened;
  await page.goto(running.setupLink);
  await page.getByLabel('Name').fill('anna');
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByLabel('Repeat the password').fill(password);
  await page.getByRole('button', { name: 'Make my account' }).click();
  await page.getByRole('heading', { name: 'Welcome, anna' }).waitFor();
  await page.close();
});
after(() => running.close());

async function open(path: string): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  await page.goto(`${running.url}/console/${path}`);
  return page;
}

/** Calls an operation with the cookie of a page. */
function callFrom(page: Page, operation: string, input: object): Promise<unknown> {
  return page.evaluate(
    async ([address = '', body = '']) => {
      const headers = { 'content-type': 'application/json' };
      return (await fetch(address, { method: 'POST', headers, body })).json();
    },
    [`/api/v1/${operation.replace('.', '/')}`, JSON.stringify(input)],
  );
}

test('a new person chooses a password with a link that is shown once, and it is in the audit log', async () => {
  const page = await open('admin/users');
  await page.getByRole('button', { name: 'Add a person' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('bert');
  await page.getByRole('button', { name: 'Add and show the link' }).click();
  const link = await page.getByRole('dialog').getByLabel('Link', { exact: true }).inputValue();
  await page.getByRole('button', { name: 'I have it' }).click();
  await page.getByRole('region', { name: 'bert' }).waitFor();

  const stranger = await openWindow(running);
  await stranger.page.goto(link);
  await stranger.page.getByLabel('Password', { exact: true }).fill('staple correct horse');
  await stranger.page.getByLabel('Repeat the password').fill('staple correct horse');
  await stranger.page.getByRole('button', { name: 'Choose this password' }).click();
  await stranger.page.getByRole('button', { name: 'Signed in as bert' }).waitFor();
  assert.deepEqual(stranger.faults, []);
  await stranger.context.close();

  await page.goto(`${running.url}/console/admin/audit?operation=user.recover`);
  await page
    .getByRole('row', { name: /user\.recover/ })
    .getByRole('link')
    .click();
  const entry = page.getByRole('dialog');
  await entry.getByText('"name": "bert"').waitFor();
  assert.ok(!(await entry.innerText()).includes(link.split('/').at(-1) ?? ''));
  await page.close();
});

test('a key for one operation is made, shown once, and revoked', async () => {
  const page = await open('admin/me');
  await page.getByRole('button', { name: 'Make a key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('For', { exact: true }).fill('scanner');
  await dialog.getByLabel('May call').first().selectOption('some');
  await dialog.getByText('stage.', { exact: true }).click();
  await dialog.getByRole('button', { name: 'Make the key' }).click();
  const key = await page.getByRole('dialog').getByLabel('Key', { exact: true }).inputValue();
  const status = async (operation: string) => {
    const headers = { authorization: `Bearer ${key}` };
    return (await fetch(`${running.url}/api/v1/${operation}`, { headers })).status;
  };
  assert.equal(await status('stage/ls'), 200);
  assert.equal(await status('queue/ls'), 403);
  await page.getByRole('button', { name: 'I have it' }).click();
  const row = page.getByRole('row', { name: /scanner/ });
  await row.hover();
  await row.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await row.waitFor({ state: 'detached' });
  assert.equal(await status('stage/ls'), 401);
  await page.close();
});

test('why a request failed is found from "To do", with its way through the stages', async () => {
  const page = await open('admin/health');
  await page.getByText('All components answer').waitFor();
  const config = 'TIME_SCALE = 0\nFAILURE_RATE = 1';
  await callFrom(page, 'stage.create', {
    name: 'torn',
    processor: 'dummy',
    mode: 'shared',
    config,
    retry: { attempts: 1 },
  });
  const files = [{ name: 'page.txt', content: btoa('x') }];
  await callFrom(page, 'request.submit', { stages: ['torn', 'results'], files });
  await page.goto(`${running.url}/console/todo`);
  await page.getByRole('link', { name: /torn: 1 request/ }).click();
  await page.getByRole('table').getByRole('link').first().click();
  await page.getByRole('heading', { name: 'Its way' }).waitFor();
  await page.getByText('anna', { exact: true }).last().waitFor();
  await page.close();
});

test('nothing went wrong in the browser meanwhile', () => assert.deepEqual(faults, []));
