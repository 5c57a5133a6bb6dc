import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { FastifyInstance } from 'fastify';
import type { BusyWatch } from '../../engine/process/busy-watch.ts';
import type { Metric } from './prometheus.ts';

/** The process itself: its memory, its event loop, and the HTTP requests it has answered. */
export interface ProcessMetrics {
  read(): Metric[];
  close(): void;
}

export function measureProcess(app: FastifyInstance, busyWatch: BusyWatch): ProcessMetrics {
  const requests = new Map<string, { route: string; status: string; count: number; seconds: number }>();
  app.addHook('onResponse', async (request, reply) => {
    // Label by pattern, not by URL: otherwise any caller could create a new series with each URL.
    const route = `${request.method} ${request.routeOptions.url ?? '(unknown)'}`;
    const status = String(reply.statusCode);
    const key = `${status} ${route}`;
    const entry = requests.get(key) ?? { route, status, count: 0, seconds: 0 };
    entry.count++;
    entry.seconds += reply.elapsedTime / 1000;
    requests.set(key, entry);
  });

  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();

  return {
    read() {
      const memory = process.memoryUsage();
      const answered = [...requests.values()].map(({ route, status, ...rest }) => ({
        labels: { route, status },
        ...rest,
      }));
      const gauge = (name: string, help: string, value: number): Metric => ({
        name,
        help,
        type: 'gauge',
        samples: [{ value }],
      });
      const longest = busyWatch.takeLongest();
      // NaN until something has been measured.
      const metrics: Metric[] = [
        {
          name: 'pismak_http_requests_total',
          help: 'HTTP requests answered',
          type: 'counter',
          samples: answered.map(({ labels, count }) => ({ labels, value: count })),
        },
        {
          name: 'pismak_http_request_seconds_total',
          help: 'Time spent answering HTTP requests',
          type: 'counter',
          samples: answered.map(({ labels, seconds }) => ({ labels, value: seconds })),
        },
        gauge('process_resident_memory_bytes', 'Memory of the process', memory.rss),
        gauge('nodejs_heap_used_bytes', 'Memory used by JavaScript objects', memory.heapUsed),
        gauge('nodejs_external_memory_bytes', 'Memory of buffers outside the heap', memory.external),
        gauge('nodejs_eventloop_delay_mean_seconds', 'Since the last reading', (delay.mean || 0) / 1e9),
        gauge('nodejs_eventloop_delay_p99_seconds', 'Since the last reading', delay.percentile(99) / 1e9),
        gauge('nodejs_eventloop_delay_max_seconds', 'Since the last reading', delay.max / 1e9),
        {
          name: 'pismak_longest_piece_seconds',
          help: 'Longest time since the last reading that an operation kept the main thread at once, in processor time',
          type: 'gauge',
          samples: [{ labels: { operation: longest.work }, value: longest.ms / 1000 }],
        },
        gauge('process_uptime_seconds', 'Since the process started', process.uptime()),
      ];
      delay.reset();
      return metrics;
    },
    close: () => delay.disable(),
  };
}
