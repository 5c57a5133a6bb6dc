import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { News, Order } from './measuring-process.ts';

/** What a reader did not survive: the shape during which it was killed, or its process ended. */
export interface Stuck {
  stuckAt: string;
}

type Answer = Exclude<News, { doing: string }>;

/** Measures readers of one list in a child process, which is replaced when a shape takes longer than `stallMs`. */
export async function measureApart(
  list: string,
  orders: readonly Order[],
  { stallMs, report }: { stallMs: number; report(order: Order, answer: Answer | Stuck): void },
): Promise<void> {
  if (orders.length === 0) return;
  let child = start(list);
  try {
    for (const order of orders) {
      const answer = await answerOf(child, order, stallMs);
      report(order, answer);
      if ('stuckAt' in answer) child = start(list);
    }
  } finally {
    child.kill('SIGKILL');
  }
}

function start(list: string): ChildProcess {
  const program = fileURLToPath(new URL('./measuring-process.ts', import.meta.url));
  const child = fork(program, [list], {
    // Collecting garbage and compiling count too, but in no thread of their own.
    execArgv: ['--single-threaded', '--expose-gc'],
    // By default glibc keeps freed buffers for later only up to 32 MB: four times the text, which needs larger ones, would take new memory from
    // the system at every call, and twelve times as long.
    env: { ...process.env, MALLOC_MMAP_THRESHOLD_: '1048576' },
  });
  // Whoever waits for an answer hears of it by its end, too.
  return child.on('error', () => {});
}

async function answerOf(child: ChildProcess, order: Order, stallMs: number): Promise<Answer | Stuck> {
  let doing = 'loading it';
  const ended = new AbortController();
  const answer = Promise.withResolvers<Answer | Stuck>();
  const giveUp = (why: string) => answer.resolve({ stuckAt: `${doing} (${why})` });
  // Loading all modules of a house may take long on a busy machine; they are ours.
  let timer = setTimeout(() => giveUp('it did not start'), 120_000);
  const listen = (news: News) => {
    if (!('doing' in news)) return answer.resolve(news);
    doing = news.doing;
    clearTimeout(timer);
    timer = setTimeout(() => giveUp(`no end after ${stallMs / 1000} s`), stallMs);
  };
  child.on('message', listen);
  once(child, 'exit', { signal: ended.signal }).then(
    ([code, signal]) => giveUp(`its process ended: ${signal ?? code}`),
    () => {},
  );
  const gone = (error: Error) => giveUp(error.message);
  child.on('error', gone);
  child.send(order);
  const given = await answer.promise;
  clearTimeout(timer);
  ended.abort();
  child.off('message', listen).off('error', gone);
  if ('stuckAt' in given) child.kill('SIGKILL');
  return given;
}
