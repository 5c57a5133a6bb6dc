import type { ConnectionOptions } from 'rabbitmq-client';
import { serverUrl } from '../../servers/server-url.ts';

const url = serverUrl('RabbitMQ');

const shape = /^(amqps?):\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^/?]+)(?:\/([^?]*))?(?:\?(.*))?$/;

/**
 * Reads `amqp://user:password@host1:5672,host2:5672/vhost`. With `amqps:`, `?cacertfile=`, `certfile=` and `keyfile=`
 * name PEM files, as in RabbitMQ's own URIs. Our error messages never repeat the URL: it holds the password.
 */
export async function readAddress(text: string): Promise<ConnectionOptions & { hosts: string[] }> {
  const [, scheme, user = 'guest', password = 'guest', hosts = '', path = '', query = ''] =
    shape.exec(text) ?? [];
  if (!scheme) throw url.invalid('must look like amqp://user:password@host:port,host:port/vhost');
  if (hosts.includes('[')) throw url.invalid('has an IPv6 address: use a host name for it');
  const parameters = new URLSearchParams(query);
  const options = {
    username: url.decode(user),
    password: url.decode(password),
    vhost: url.decode(path) || '/',
    hosts: hosts.split(','),
  };
  if (scheme === 'amqp') return options;
  const pem = async (name: string) => {
    const file = parameters.get(name);
    return file === null ? undefined : url.pem(name, file);
  };
  const [ca, cert, key] = [await pem('cacertfile'), await pem('certfile'), await pem('keyfile')];
  return { ...options, tls: { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) } };
}
