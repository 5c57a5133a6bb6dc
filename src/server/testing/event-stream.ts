import type { RunningServer } from './running-server.ts';

export interface StreamEvent {
  id: number;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks where it likes
  data: any;
}

/** A client that reads server-sent events one by one; `next` is undefined when the stream has ended. */
export interface EventStream {
  status: number;
  next(): Promise<StreamEvent | undefined>;
  /** Comments seen so far: heartbeats. */
  comments(): number;
  close(): Promise<void>;
}

export async function followChanges(
  server: RunningServer,
  as: { key?: string; cookie?: string; lastEventId?: number | string },
): Promise<EventStream> {
  const given = new AbortController();
  const response = await fetch(`${server.localUrl}/api/v1/changes`, {
    signal: given.signal,
    headers: {
      ...(as.key === undefined ? {} : { authorization: `Bearer ${as.key}` }),
      ...(as.cookie === undefined ? {} : { cookie: as.cookie }),
      ...(as.lastEventId === undefined ? {} : { 'last-event-id': String(as.lastEventId) }),
    },
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = '';
  let comments = 0;
  return {
    status: response.status,
    async next() {
      for (;;) {
        const end = buffer.indexOf('\n\n');
        if (end >= 0) {
          const block = buffer.slice(0, end);
          buffer = buffer.slice(end + 2);
          if (!block.startsWith(':')) return parseEvent(block);
          comments++;
          continue;
        }
        const { value, done } = (await reader?.read()) ?? { done: true };
        if (done) return undefined;
        buffer += value;
      }
    },
    comments: () => comments,
    async close() {
      given.abort();
      await reader?.cancel().catch(() => {});
    },
  };
}

function parseEvent(block: string): StreamEvent {
  const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s)));
  return { id: Number(fields.id), event: fields.event, data: JSON.parse(fields.data) };
}
