import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

const root = join(import.meta.dirname, '../..');

/** A Pismak of its own with the built console, and a browser. */
export interface RunningConsole {
  readonly url: string;
  /** The one-time link of the first administrator, as the terminal prints it. */
  readonly setupLink: string;
  readonly browser: Browser;
  /** Stops Pismak; what it returns starts it again at the same address. */
  stop(): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export async function runConsole(): Promise<RunningConsole> {
  const data = await mkdtemp(join(tmpdir(), 'pismak-console-'));
  const [first, browser] = await Promise.all([
    startPismak(data, '0', /one-time link: (\S+)/),
    chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] }),
  ]);
  let { child } = first;
  const { origin, port } = new URL(first.said);
  const end = async () => {
    const ended = once(child, 'close');
    child.kill();
    await ended;
  };
  return {
    url: origin,
    setupLink: first.said,
    browser,
    async stop() {
      await end();
      return async () => {
        ({ child } = await startPismak(data, port, /is ready at (\S+)/));
      };
    },
    async close() {
      await browser.close();
      await end();
      await rm(data, { recursive: true, force: true });
    },
  };
}

/** Waits until it has said something. */
async function startPismak(
  data: string,
  port: string,
  wanted: RegExp,
): Promise<{ child: ChildProcess; said: string }> {
  const words = ['up', '--data', data, '--port', port, '--set', 'worker.count=1'];
  const child = spawn(join(root, 'bin/pismak'), words, { stdio: ['ignore', 'pipe', 'pipe'] });
  process.once('exit', () => child.kill('SIGKILL'));
  let all = '';
  child.stderr.resume();
  for await (const chunk of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    all += chunk;
    const said = wanted.exec(all)?.[1];
    if (said === undefined) continue;
    child.stdout.resume();
    return { child, said };
  }
  throw new Error(`pismak ended before it was ready: ${all}`);
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
