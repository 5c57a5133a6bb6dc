import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

const root = join(import.meta.dirname, '../..');

/** A Pismak of its own with the built console, and a browser. */
export interface RunningConsole {
  url: string;
  /** The one-time link of the first administrator, as the terminal prints it. */
  setupLink: string;
  browser: Browser;
  close(): Promise<void>;
}

export async function runConsole(): Promise<RunningConsole> {
  const data = await mkdtemp(join(tmpdir(), 'pismak-console-'));
  const [pismak, browser] = await Promise.all([
    startPismak(data),
    chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] }),
  ]);
  return {
    ...pismak,
    browser,
    async close() {
      await browser.close();
      const ended = once(pismak.process, 'close');
      pismak.process.kill();
      await ended;
      await rm(data, { recursive: true, force: true });
    },
  };
}

async function startPismak(data: string): Promise<{ url: string; setupLink: string; process: ChildProcess }> {
  const child = spawn(
    join(root, 'bin/pismak'),
    ['up', '--data', data, '--port', '0', '--set', 'worker.count=1'],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  process.once('exit', () => child.kill('SIGKILL'));
  let said = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    said += chunk;
    const link = /one-time link: (\S+)/.exec(said)?.[1];
    if (link === undefined) continue;
    child.stdout.resume();
    child.stderr.resume();
    return { url: new URL(link).origin, setupLink: link, process: child };
  }
  throw new Error(`pismak ended before it was ready: ${said}`);
}

/** A window, and everything in it that a person should never have: errors, refused files, calls to other machines. */
export async function openWindow(
  { browser, url }: RunningConsole,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<{ context: BrowserContext; page: Page; faults: string[] }> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    locale: 'en-GB',
    ...options,
  });
  const faults: string[] = [];
  context.on('page', (page) => {
    page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url()))
        faults.push(`called ${request.url()}`);
    });
  });
  return { context, page: await context.newPage(), faults };
}
