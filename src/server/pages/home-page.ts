import { version } from '../../engine/ground/version.ts';
import type { ProcessHealth } from '../routes/health.ts';
import { type Page, page } from './page.ts';

const sentences: Readonly<Record<ProcessHealth['status'], string>> = {
  ok: 'Everything works.',
  down: 'A part does not answer. Work waits until it does, and nothing is lost.',
  degraded: 'Nothing new can be stored, perhaps because the disk is full. Reading and deleting still work.',
  starting: 'Starting: try again in a moment.',
  stopping: 'Stopping: running work may finish.',
};

/** `/`: for people who open the address in a browser. Without sign-in it shows only the health and links. */
export function homePage({ health, setupOpen }: { health: ProcessHealth; setupOpen: boolean }): Page {
  const rows = Object.entries(health.parts ?? {}).map(
    ([part, state]) => `<tr><td>${part}</td><td><span class="state ${state}">${state}</span></td></tr>`,
  );
  const parts =
    rows.length === 0 ? '' : `<table class="names"><tr><th>Part<th>Answers</tr>${rows.join('')}</table>`;
  const setup = setupOpen
    ? `<article><h3>Nobody can sign in yet</h3><p>The first administrator uses the one-time link that
<code>pismak up</code> prints when it starts, or <code>pismak user create</code> on this machine.</p></article>`
    : '';
  return page({
    title: 'Pismak',
    body: `<main><h1>Pismak ${version}</h1>
<p>Queues, workers and a watchdog that moves workers to where work waits.</p>
<p role="status"><span class="state ${health.status}">${health.status}</span> ${sentences[health.status]}</p>
${parts}${setup}${links}</main>`,
  });
}

const links = `<h2>Next steps</h2>
<table class="names">
<tr><td><a href="/docs">API</a></td><td>every operation, with a call to copy; for programs:
<a href="/api/v1/openapi.json">openapi.json</a></td></tr>
<tr><td><a href="/api/v1/health">Health</a></td><td>for load balancers: 200 if everything works, otherwise 503</td></tr>
<tr><td><code>/metrics</code></td><td>for Prometheus; needs a key</td></tr>
</table>
<h2>On the machine that runs Pismak</h2>
<table class="names">
<tr><td><code>pismak status</code></td><td>queues, workers and rates</td></tr>
<tr><td><code>pismak alert ls</code></td><td>what is wrong</td></tr>
<tr><td><code>pismak --help</code></td><td>all commands</td></tr>
<tr><td><code>README.md</code></td><td>first steps</td></tr>
<tr><td><code>docs/operations.md</code></td><td>set-up, servers, backup, monitoring, alerts</td></tr>
</table>`;
