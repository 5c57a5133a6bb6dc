import type { SecureContextOptions } from 'node:tls';
import type { ConnectionOptions } from 'rabbitmq-client';
import { serverUrl } from '../../network/server-url.ts';

const url = serverUrl('RabbitMQ');

const shape = /^(amqps?):\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^/?]+)(?:\/([^?]*))?(?:\?(.*))?$/;

/**
 * Reads `amqp://user:password@host1:5672,host2:5672/vhost`. With `amqps:`, `?cacertfile=`, `certfile=` and `keyfile=`
 * name PEM files, as in RabbitMQ's own URIs; other parameters are refused. Our error messages never repeat the URL: it holds the password.
 */
export async function readAddress(text: string): Promise<ConnectionOptions & { hosts: string[] }> {
  const [, scheme, user = 'guest', password = 'guest', hosts = '', path = '', query = ''] =
    shape.exec(text) ?? [];
  if (!scheme) throw url.invalid('must look like amqp://user:password@host:port,host:port/vhost');
  if (hosts.includes('[')) throw url.invalid('has an IPv6 address: use a host name for it');
  for (const host of hosts.split(',')) url.host(host, 5672);
  const parameters = new URLSearchParams(query);
  const options = {
    username: url.decode(user),
    password: url.decode(password),
    vhost: url.decode(path) || '/',
    hosts: hosts.split(','),
  };
  const tls: SecureContextOptions = {};
  for (const [name, file] of parameters) {
    const option = Object.entries(fileParameters).find(([parameter]) => parameter === name)?.[1];
    if (!option)
      throw url.invalid(`has an unknown parameter "${name}"; use ${Object.keys(fileParameters).join(', ')}`);
    if (scheme === 'amqp') throw url.invalid(`has ${name}, which is for TLS; start it with amqps://`);
    tls[option] = await url.pem(name, file);
  }
  return scheme === 'amqp' ? options : { ...options, tls };
}

const fileParameters = { cacertfile: 'ca', certfile: 'cert', keyfile: 'key' } as const;
