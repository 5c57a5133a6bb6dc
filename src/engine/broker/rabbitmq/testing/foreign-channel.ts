import type { TestContext } from 'node:test';
import { type Channel, Connection } from 'rabbitmq-client';
import { readAddress } from '../address.ts';

/** A channel with confirms, of a program that knows only AMQP. */
export async function foreignChannel(t: TestContext, url: string): Promise<Channel> {
  const connection = new Connection(await readAddress(url));
  const channel = await connection.acquire();
  await channel.confirmSelect();
  t.after(async () => {
    await channel.close();
    await connection.close();
  });
  return channel;
}
