import { readFile } from 'node:fs/promises';
import type { ConnectionOptions } from 'rabbitmq-client';
import { messageOf, PismakError } from '../../errors.ts';

const shape = /^(amqps?):\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^/?]+)(?:\/([^?]*))?(?:\?(.*))?$/;

/**
 * Reads `amqp://user:password@host1:5672,host2:5672/vhost`. With `amqps:`, `?cacertfile=`, `certfile=` and `keyfile=`
 * name PEM files, as in RabbitMQ's own URIs. No message of ours repeats the URL: it holds the password.
 */
export async function readAddress(url: string): Promise<ConnectionOptions & { hosts: string[] }> {
  const [, scheme, user = 'guest', password = 'guest', hosts = '', path = '', query = ''] =
    shape.exec(url) ?? [];
  if (!scheme) throw invalid('is no amqp://user:password@host:port,host:port/vhost');
  if (hosts.includes('[')) throw invalid('has an IPv6 address: use a host name for it');
  const parameters = new URLSearchParams(query);
  const options = {
    username: decoded(user),
    password: decoded(password),
    vhost: decoded(path) || '/',
    hosts: hosts.split(','),
  };
  if (scheme === 'amqp') return options;
  const pem = async (name: string) => {
    const file = parameters.get(name);
    return file === null ? undefined : readPem(name, file);
  };
  const [ca, cert, key] = [await pem('cacertfile'), await pem('certfile'), await pem('keyfile')];
  return { ...options, tls: { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) } };
}

async function readPem(name: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw invalid(`has a ${name} that can not be read: ${messageOf(error)}`);
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw invalid('has a % that escapes nothing: write it as %25');
  }
}

function invalid(what: string): PismakError {
  return new PismakError('configuration-invalid', `The address of RabbitMQ ${what}.`);
}
