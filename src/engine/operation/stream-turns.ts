import type { Engine } from '../composition/engine.ts';
import type { ByteStream, StreamOperation } from './stream-operation.ts';

/** Opens a stream when its turn comes. The turn lasts until the content ends or the reader leaves. */
export async function openInTurn(
  { callTurns }: Pick<Engine, 'callTurns'>,
  stream: Pick<StreamOperation, 'heavy'>,
  { owner, signal }: { owner: string; signal: AbortSignal },
  open: () => Promise<ByteStream>,
): Promise<ByteStream> {
  const endTurn = await callTurns[stream.heavy ? 'largeDownloads' : 'downloads'].take(owner, signal);
  const end = () => {
    signal.removeEventListener('abort', end);
    endTurn();
  };
  signal.addEventListener('abort', end, { once: true });
  try {
    const opened = await open();
    return { ...opened, content: untilEnd(opened.content, end) };
  } catch (error) {
    end();
    throw error;
  }
}

/** Not a generator: its `finally` would not run if it were closed before the first read. */
function untilEnd(content: AsyncIterable<Uint8Array>, end: () => void): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const inner = content[Symbol.asyncIterator]();
      return {
        async next() {
          try {
            const result = await inner.next();
            if (result.done) end();
            return result;
          } catch (error) {
            end();
            throw error;
          }
        },
        async return() {
          end();
          await inner.return?.();
          return { done: true as const, value: undefined };
        },
      };
    },
  };
}
