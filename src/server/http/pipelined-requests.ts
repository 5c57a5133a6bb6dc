import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** More requests than any client sends on one connection without waiting for an answer; most send one. */
export const mostPipelined = 32;

/**
 * Ends a connection on which too many requests wait. Node hands over all requests of a packet at once, even thousands of
 * small ones, and serves no other client until all are answered.
 */
export function limitPipelinedRequests({ server }: FastifyInstance): void {
  const waiting = new WeakMap<Socket, number>();
  const count = (socket: Socket, change: number): number => {
    const number = (waiting.get(socket) ?? 0) + change;
    waiting.set(socket, number);
    return number;
  };
  const [answer] = server.listeners('request') as RequestListener[];
  if (!answer) throw new Error('Fastify has added no listener for requests');
  server.removeListener('request', answer);
  server.on('request', (request, response) => {
    const { socket } = request;
    // The rest of the packet still arrives after the end of its connection.
    if (socket.destroyed) return;
    if (count(socket, 1) > mostPipelined) return end(socket);
    response.once('close', () => count(socket, -1));
    answer(request, response);
  });
}

/** Node aborts each request of the packet with an error; 1,500 stack traces would take 30 ms. */
function end(socket: Socket): void {
  const { stackTraceLimit } = Error;
  socket.prependOnceListener('close', () => {
    Error.stackTraceLimit = 0;
  });
  socket.once('close', () => {
    Error.stackTraceLimit = stackTraceLimit;
  });
  socket.destroy();
}
