import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';

/** Smaller answers fit into one packet anyway. */
const least = 1024;

/** Brotli's default, 11, suits files that are compressed once. */
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const encoders = {
  br: (text: string) => promisify(brotliCompress)(text, brotli),
  gzip: (text: string) => promisify(gzip)(text, { level: 5 }),
};

/**
 * Compresses JSON for callers that accept it; commands don't ask for it. Zlib's threads do the work. What a stranger's page
 * could learn from the length of an answer stays safe: our cookie doesn't travel with requests of other sites.
 */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook<string | unknown>('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || payload.length < least) return payload;
    if (!/^application\/([\w.-]+\+)?json\b/.test(String(reply.getHeader('content-type')))) return payload;
    if (reply.hasHeader('content-encoding')) return payload;
    reply.header('vary', 'accept-encoding');
    const encoding = bestEncoding(request.headers['accept-encoding']);
    if (encoding === undefined) return payload;
    const compressed = await encoders[encoding](payload);
    reply.header('content-encoding', encoding).removeHeader('content-length');
    return compressed;
  });
}

/** Brotli before gzip. `;q=0` refuses one; other preferences don't matter to us. */
export function bestEncoding(accepted: string | string[] | undefined): 'br' | 'gzip' | undefined {
  const names = String(accepted ?? '')
    .slice(0, 1000)
    .split(',')
    .map((part) => part.split(';').map((word) => word.trim().toLowerCase()))
    .filter(([, weight]) => !weight || Number(weight.replace(/^q=/, '')) > 0)
    .map(([name]) => name);
  return (['br', 'gzip'] as const).find((name) => names.includes(name));
}
