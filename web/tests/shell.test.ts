import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { openWindow, type RunningConsole, runConsole } from './running-console.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const password = 'correct horse battery';

let running: RunningConsole;
/** Anna's window; each test opens a page of its own in it. */
let context: BrowserContext;
let faults: string[];

before(async () => {
  running = await runConsole();
  const opened = await openWindow(running);
  context = opened.context;
  faults = opened.faults;
  await opened.page.close();
});
after(() => running.close());

async function open(path: string): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(`${running.url}${path}`);
  return page;
}

/** Calls an operation with the cookie of a page, as another tab would. */
function callFrom(page: Page, operation: string, input: object): Promise<number> {
  return page.evaluate(
    async ([address, body]) => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(address ?? '', { method: 'POST', headers, body: body ?? '' });
      return response.status;
    },
    [`/api/v1/${operation.replace('.', '/')}`, JSON.stringify(input)],
  );
}

async function violations(page: Page): Promise<string[]> {
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

test('the printed link makes the first account, signs it in and shows the first steps', async () => {
  const page = await context.newPage();
  await page.goto(running.setupLink);
  assert.equal(new URL(page.url()).pathname, '/console/setup');
  await page.getByLabel('Name').fill('anna');
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByLabel('Repeat the password').fill('another one');
  assert.ok(!page.url().includes('#'), 'the token has left the address');
  await page.getByText('The two passwords differ').first().waitFor();
  await page.getByLabel('Repeat the password').fill(password);
  await page.getByRole('button', { name: 'Make my account' }).click();
  await page.getByRole('heading', { name: 'Welcome, anna' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Welcome, anna' }).waitFor();
  await page.close();
});

test('a stranger signs in first, and comes where the address leads', async () => {
  const { context: other, page, faults: theirs } = await openWindow(running);
  await page.goto(`${running.url}/console/engine/queues?x=1`);
  await page.getByLabel('Name').fill('anna');
  await page.getByLabel('Password').fill('wrong password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('The name or the password is wrong.').waitFor();
  assert.deepEqual(await violations(page), []);
  theirs.splice(0); // the browser reports the refused sign-in
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Queues' }).waitFor();
  assert.equal(new URL(page.url()).search, '?x=1');
  assert.deepEqual(theirs, []);
  await other.close();
});

test('what somebody else changes appears by itself in every tab', async () => {
  const tabs = await Promise.all(['/console/admin/users', '/console/admin/users'].map(open));
  await Promise.all(tabs.map((tab) => tab.getByRole('row', { name: /anna/ }).waitFor()));
  const third = await open('/console/todo');
  assert.equal(await callFrom(third, 'user.create', { name: 'bert', password, role: 'reader' }), 200);
  await Promise.all(tabs.map((tab) => tab.getByRole('row', { name: /bert/ }).waitFor()));
  for (const tab of [...tabs, third]) await tab.close();
});

test('a person sees only what they may use', async () => {
  const { context: other, page, faults: theirs } = await openWindow(running);
  await page.goto(`${running.url}/console/sign-in`);
  await page.getByLabel('Name').fill('bert');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation').getByRole('link', { name: 'Queues' }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'People' }).count(), 0);
  await page.goto(`${running.url}/console/admin/users`);
  await page.getByRole('heading', { name: 'This page does not exist' }).waitFor();
  assert.deepEqual(theirs, []);
  await other.close();
});

test('a session that ends asks for the password over the page, and the page goes on', async () => {
  const { context: other, page } = await openWindow(running);
  await page.goto(`${running.url}/console/sign-in?next=engine/queues`);
  await page.getByLabel('Name').fill('anna');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Queues' }).waitFor();
  const mine = await open('/console/todo');
  assert.equal(await callFrom(mine, 'session.end', {}), 200);
  await page.getByRole('navigation').getByRole('link', { name: 'People' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.getByLabel('Password').fill(password);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('row', { name: /anna/ }).waitFor();
  await mine.close();
  await other.close();
});

test('everything is reached by keyboard: Ctrl-K finds a page, G and a letter goes to one, ? lists the keys', async () => {
  const page = await open('/console/todo');
  await page.getByRole('heading', { name: 'To do' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('fro');
  await page.getByRole('option', { name: 'Queues' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Queues' }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('t');
  await page.getByRole('heading', { name: 'To do' }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).getByText('Go to Queues').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.close();
});

test('the language and the colours change at once, and are kept', async () => {
  const page = await open('/console/engine/queues');
  await page.getByRole('button', { name: 'Signed in as anna' }).click();
  await page.getByLabel('Dark').check();
  await page.getByLabel('Čeština').check();
  await page.getByRole('heading', { name: 'Fronty' }).waitFor();
  const look = () =>
    page.evaluate(() => [
      document.documentElement.lang,
      getComputedStyle(document.documentElement).backgroundColor,
    ]);
  assert.deepEqual(await look(), ['cs', 'rgb(22, 22, 20)']);
  await page.reload();
  await page.getByRole('heading', { name: 'Fronty' }).waitFor();
  assert.deepEqual(await look(), ['cs', 'rgb(22, 22, 20)']);
  assert.deepEqual(await violations(page), []);
  await page.setViewportSize({ width: 390, height: 844 });
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  assert.deepEqual(await violations(page), []);
  await page.evaluate(() => localStorage.clear());
  await page.close();
});

test('a page whose files belong to another version is loaded anew once, not for ever', async () => {
  const page = await open('/console/todo');
  let loads = 0;
  page.on('load', () => loads++);
  const missing = { status: 404, contentType: 'application/json', body: '{}' };
  await page.route('**/assets/People-*.js', (route) =>
    loads === 0 ? route.fulfill(missing) : route.continue(),
  );
  await page.getByRole('navigation').getByRole('link', { name: 'People' }).click();
  await page.getByRole('row', { name: /anna/ }).waitFor();
  assert.equal(loads, 1);
  await page.route('**/assets/Queues-*.js', (route) => route.fulfill(missing));
  await page.getByRole('navigation').getByRole('link', { name: 'Queues' }).click();
  await page.getByRole('heading', { name: 'This page could not be shown' }).waitFor();
  assert.equal(loads, 2);
  await page.close();
  const others = faults.splice(0).filter((fault) => !fault.includes('404'));
  faults.push(...others);
});

test('a tab says that Pismak was upgraded', async () => {
  const page = await open('/console/todo');
  await page.getByRole('heading', { name: 'To do' }).waitFor();
  await page.route('**/console/build.json', (route) =>
    route.fulfill({ json: { build: 'ffffffffffff', signedIn: true } }),
  );
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await page.getByText('Pismak was upgraded').waitFor();
  await page.close();
});

test('what is known stays while Pismak is away, the page says from when it is, and goes on by itself', async () => {
  const page = await open('/console/admin/users');
  await page.getByRole('row', { name: /bert/ }).waitFor();
  const start = await running.stop();
  await page.getByText('The connection is lost').waitFor();
  assert.equal(await page.getByRole('row', { name: /bert/ }).count(), 1);
  await start();
  await page.getByText('The connection is lost').waitFor({ state: 'detached' });
  assert.equal(await callFrom(page, 'user.create', { name: 'cyril', password, role: 'reader' }), 200);
  await page.getByRole('row', { name: /cyril/ }).waitFor();
  await page.close();
  const others = faults.splice(0).filter((fault) => !/ERR_|Failed to load/.test(fault));
  faults.push(...others);
});

test('nothing of all this was an error, refused by the content policy, or asked of another machine', () => {
  assert.deepEqual(faults, []);
});
