import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openWindow, type RunningConsole, runConsole } from './running-console.ts';

const scan = readFileSync(join(import.meta.dirname, '../../samples/scans/clean-1.png'));
const password = 'correct horse battery';
// A name with markup in it: it is text everywhere.
const name = 'Chronicle <b>1907</b>';

let running: RunningConsole;
let page: Page;
let faults: string[];

before(async () => {
  running = await runConsole();
  ({ page, faults } = await openWindow(running));
  page.setDefaultTimeout(30_000);
  await page.goto(running.setupLink);
  await page.getByLabel('Name').fill('anna');
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByLabel('Repeat the password').fill(password);
  await page.getByRole('button', { name: 'Make my account' }).click();
  await page.getByRole('heading', { name: 'Welcome, anna' }).waitFor();
});
after(() => running.close());

const go = (path: string) => page.goto(`${running.url}/console/transcription/${path}`);
const query = (part: string) => new URL(page.url()).searchParams.get(part);

test('dropped scans become a document that is read before one’s eyes, and what can’t be read is refused with the reason', async () => {
  await go('documents');
  await page.getByRole('heading', { name: 'No documents yet' }).waitFor();
  const transfer = await page.evaluateHandle((bytes) => {
    const data = new DataTransfer();
    const content = Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0));
    data.items.add(new File([content], 'scan.png', { type: 'image/png' }));
    data.items.add(new File(['a letter'], 'letter.docx'));
    return data;
  }, scan.toString('base64'));
  await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
  const dialog = page.getByRole('dialog', { name: 'New document' });
  await dialog.getByText('1 file is left out').click();
  await dialog.getByText('Not an image, a PDF or a ZIP file').waitFor();
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByLabel('Language or model').selectOption('ces');
  await dialog.getByRole('button', { name: 'Read', exact: true }).click();
  await page.getByRole('row').getByRole('link', { name }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  await page.getByRole('link', { name: /^Page 1, (read|doubtful), confidence/ }).click();
  await page.getByRole('region', { name: 'Text' }).getByText('Nejstarší').waitFor();
});

test('in the viewer a word and its place on the image belong together, by mouse and by keys', async () => {
  const text = page.getByRole('region', { name: 'Text' });
  await text.getByText('Šimon', { exact: true }).first().click();
  await page.waitForFunction(() => new URLSearchParams(location.search).has('word'));
  const word = Number(query('word'));
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(
    (next) => new URLSearchParams(location.search).get('word') === String(next),
    word + 1,
  );
  // A click on the image chooses the word that stands there, and its frame is drawn there.
  await page.keyboard.press('Escape');
  await page.locator('.chosen').waitFor({ state: 'detached' });
  const canvas = page.locator('.image > canvas');
  const box = await canvas.boundingBox();
  assert.ok(box);
  const at = { x: box.width / 2, y: box.height * 0.45 };
  // Between two lines there is no word; and two clicks on one place would enlarge the image.
  for (; at.y < box.height * 0.6 && !(await page.locator('.chosen').isVisible()); at.y += 22)
    await page.mouse.click(box.x + at.x, box.y + at.y + 22);
  await page.locator('.chosen').waitFor();
  await page.waitForFunction(({ x, y }) => {
    const drawn = document.querySelector<HTMLCanvasElement>('.image > canvas')?.getContext('2d');
    return (drawn?.getImageData(x * devicePixelRatio, y * devicePixelRatio, 1, 1).data[3] ?? 0) > 0;
  }, at);
  const chosen = Number(await page.locator('.chosen').getAttribute('data-word'));
  await page.waitForFunction(
    (number) => new URLSearchParams(location.search).get('word') === String(number),
    chosen + 1,
  );
  await page.reload();
  await page.locator(`.chosen[data-word="${chosen}"]`).waitFor();
});

test('search shows the line of a hit and opens at its word', async () => {
  await go('search');
  await page.getByRole('searchbox').fill('simon');
  await page.keyboard.press('Enter');
  await page
    .getByRole('link', { name: /^Open at line/ })
    .first()
    .click();
  await page.locator('.chosen').filter({ hasText: 'Šimon' }).waitFor();
  await page.getByText('2 hits: simon').waitFor();
  assert.equal(query('find'), 'simon');
});

test('a document is deleted only by typing its name', async () => {
  await page.getByRole('link', { name: 'All pages' }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: `Delete ${name}?` });
  const confirmed = dialog.getByRole('button', { name: 'Delete' });
  assert.equal(await confirmed.getAttribute('aria-disabled'), 'true');
  await dialog.getByLabel(`Type ${name} to confirm`).fill(name);
  await confirmed.click();
  await page.getByRole('heading', { name: 'No documents yet' }).waitFor();
});

test('nothing of all this was an error, refused by the content policy, or asked of another machine', () => {
  assert.deepEqual(faults, []);
});
