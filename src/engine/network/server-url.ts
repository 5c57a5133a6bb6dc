import { readFile } from 'node:fs/promises';
import { messageOf, PismakError } from '../ground/errors.ts';

/**
 * Reads server URLs. Errors never repeat the URL, because it may contain a password.
 *
 *     const url = serverUrl('RabbitMQ');
 *     throw url.invalid('must name a host'); // The URL of RabbitMQ must name a host
 */
export function serverUrl(server: string) {
  const invalid = (why: string) => new PismakError('configuration-invalid', `The URL of ${server} ${why}`);
  return {
    invalid,

    decode(part: string): string {
      try {
        return decodeURIComponent(part);
      } catch {
        throw invalid('has a % that is not followed by two hexadecimal digits; write it as %25');
      }
    },

    /** `host`, `host:port` or `[::1]:port`. */
    host(text: string, usualPort: number): { host: string; port: number } {
      const [, address, name, port = String(usualPort)] =
        /^(?:\[([\da-f:.]+)\]|([^:@[\]\s]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
      const host = address ?? this.decode(name ?? '');
      if (host === '' || Number(port) < 1 || Number(port) > 65_535) {
        throw invalid('has an invalid host; write host or host:port, separated by commas');
      }
      return { host, port: Number(port) };
    },

    /** Reads a certificate or key that a URL parameter names. */
    async pem(parameter: string, file: string): Promise<string> {
      try {
        return await readFile(file, 'utf8');
      } catch (cause) {
        throw invalid(`has a ${parameter} that cannot be read: ${messageOf(cause)}`);
      }
    },
  };
}
