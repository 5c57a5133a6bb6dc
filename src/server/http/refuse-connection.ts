import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { PismakError } from '../../engine/ground/errors.ts';
import { errorBody, retryAfterSeconds } from './error-replies.ts';

/** Answers a connection that sent no valid request, and closes it. */
export function refuseConnection(socket: Socket, error: PismakError): void {
  if (!socket.writable) return void socket.destroy();
  const body = Buffer.from(JSON.stringify(errorBody(error)));
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    'connection: close',
    'content-type: application/json',
    ...(error.status === 503 ? [`retry-after: ${retryAfterSeconds}`] : []),
    `content-length: ${body.length}`,
  ];
  socket.on('error', () => {});
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

/** Node's reasons for giving up a connection, in our codes. */
export function asRefusal(error: Error & { code?: string }): PismakError {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new PismakError('too-large', 'the headers and the address are larger than 16 KB');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new PismakError('too-slow', 'the request took too long to arrive');
    default:
      return new PismakError('invalid-input', 'this is not valid HTTP');
  }
}
