import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

const longest = 1_000;

/**
 * The lines of a program's output as they arrive. An endless line is cut and the rest of it dropped: the output of a
 * program must never fill our memory.
 */
export async function* boundedLines(stream: Readable): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let line = '';
  for await (const chunk of stream) {
    const parts = decoder.write(chunk).split('\n');
    for (const [index, part] of parts.entries()) {
      if (index > 0) {
        yield shown(line);
        line = '';
      }
      line += part.slice(0, longest + 1 - line.length);
    }
  }
  if (line !== '') yield shown(line);
}

/** A progress bar rewrites its line: its last state is enough. */
function shown(line: string): string {
  const text = line.replace(/\r$/, '').replace(/^[\s\S]*\r/, '');
  return text.length > longest ? `${text.slice(0, longest)}...` : text;
}
