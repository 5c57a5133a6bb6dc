import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { checkRequests, type SeenRequest, type Violation } from '../politeness/check-requests.ts';
import type { Rules } from '../politeness/rules.ts';
import { crawlDelayMs } from '../politeness/rules.ts';
import { parseRobots } from '../text/robots-rules.ts';
import { makeWeb, type Web } from './web-pages.ts';
import { isDeepInTrap, type WebHost, type WebPlan } from './web-plan.ts';

/** A synthetic web while it is served, and what its servers saw. */
export interface ServedWeb {
  readonly web: Web;
  readonly seen: SeenRequest[];
  /** Requests without the robot's name, to the wrong address, or for something forbidden. */
  readonly complaints: string[];
  /** Broken rules as the servers see them. */
  violations(rules: Rules): Violation[];
  close(): Promise<void>;
}

/** Serves the web on 127.x.y.z; with port 0 in the plan, on a free port. */
export async function serveWeb(plan: WebPlan, { agent = 'PismakRobot' } = {}): Promise<ServedWeb> {
  let web = makeWeb(plan);
  const seen: SeenRequest[] = [];
  const complaints: string[] = [];
  const attempts = new Map<string, number>();
  /** What the robots.txt of a host asks for, once it was fetched. */
  const delays = new Map<string, number>();
  const servers: Server[] = [];
  let byName = new Map<string, WebHost>();

  const rulesOf = (host: WebHost) => parseRobots(Buffer.from(web.robots(host).text));

  function handle(request: IncomingMessage, response: ServerResponse): void {
    const began = performance.now();
    // Not the time of day, which may be set back between two requests.
    const at = Math.floor(performance.timeOrigin + began);
    const address = request.socket.localAddress ?? '';
    const name = (request.headers.host ?? '').replace(/:\d+$/, '');
    const path = request.url ?? '/';
    const url = `http://${name}${path}`;
    const isRobots = path === '/robots.txt';
    // A robot that was killed may have forgotten the rules when it asks for them again.
    const delayMs = isRobots ? 0 : (delays.get(name) ?? 0);
    const record: SeenRequest = { at, ms: 0, address, host: name, url, delayMs };
    seen.push(record);
    // Taken when the last byte is handed over: the robot can't have it earlier.
    const ended = () => {
      record.ms = Math.floor(performance.now() - began);
    };
    const host = byName.get(name);
    if (!request.headers['user-agent']?.startsWith(agent))
      complaints.push(`${url}: no ${agent} in the User-Agent`);
    if (host?.address !== address) complaints.push(`${url}: asked at ${address}`);
    if (!host) return void response.writeHead(421).end();
    if (path.startsWith('/private/') || path.startsWith('/admin') || (host.kind === 'forbidden' && !isRobots))
      complaints.push(`${url}: robots.txt forbids it`);
    if (isDeepInTrap(path)) complaints.push(`${url}: walked into a trap`);
    if (isRobots) delays.set(name, crawlDelayMs(rulesOf(host).crawlDelay(agent)));
    const attempt = attempts.get(url) ?? 0;
    attempts.set(url, attempt + 1);
    const answer = web.answer(host, path, attempt);
    const send = () => {
      const { status, headers, body, fault } = answer;
      ended();
      if (fault === 'reset') return void request.socket.resetAndDestroy();
      if (fault === 'half') {
        response.writeHead(status, { ...headers, 'content-length': String(2 * body.length) });
        response.write(body);
        return void setTimeout(() => {
          ended();
          request.socket.destroy();
        }, 5);
      }
      response.writeHead(
        status,
        fault === 'endless' ? headers : { ...headers, 'content-length': String(body.length) },
      );
      if (fault !== 'endless') return void response.end(body);
      const more = () => {
        while (!response.destroyed && response.write(body)) {
          // Never ends by itself.
        }
      };
      response.on('drain', more);
      more();
    };
    if (answer.delayMs) setTimeout(send, answer.delayMs);
    else send();
  }

  const addresses = [...new Set(web.hosts.map(({ address }) => address))];
  let { port } = plan;
  for (const address of addresses) {
    const server = createServer({ keepAlive: true }, handle);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, address, 4096, resolve);
    });
    const bound = server.address();
    if (port === 0 && bound !== null && typeof bound === 'object') port = bound.port;
    servers.push(server);
  }
  web = makeWeb({ ...plan, port });
  byName = new Map(web.hosts.map((host) => [host.name, host]));
  return {
    web,
    seen,
    complaints,
    violations: (rules) => checkRequests(seen, rules),
    async close() {
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}
