import { type Channel, Connection, type ConnectionOptions } from 'rabbitmq-client';
import { bodyBytes, inWindow, jobs, secondsSince, Tally, type Timings } from './work.ts';

const body = Buffer.alloc(bodyBytes, 120);

/** The client without anything around it: a quorum queue, persistent mandatory messages with confirms, acks one by one. */
export class RawRabbit {
  readonly #queue: string;
  readonly #connections: Connection[];
  readonly #publishing: Channel;
  readonly #consuming: Channel;

  private constructor(queue: string, connections: Connection[], publishing: Channel, consuming: Channel) {
    this.#queue = queue;
    this.#connections = connections;
    this.#publishing = publishing;
    this.#consuming = consuming;
  }

  static async open(address: ConnectionOptions, queue: string): Promise<RawRabbit> {
    const connections = [0, 1].map(() => new Connection({ ...address, noDelay: true }));
    const [publishing, consuming] = await Promise.all(connections.map((each) => each.acquire()));
    if (!publishing || !consuming) throw new Error('no channels');
    await publishing.confirmSelect();
    await publishing.queueDeclare({ queue, durable: true, arguments: { 'x-queue-type': 'quorum' } });
    return new RawRabbit(queue, connections, publishing, consuming);
  }

  async run(window: number, prefetch: number): Promise<Timings> {
    const start = performance.now();
    await Promise.all([this.#publish(window), this.#drain(prefetch)]);
    const endToEnd = secondsSince(start);
    const again = performance.now();
    await this.#publish(window);
    const enqueue = secondsSince(again);
    const begunAt = await this.#drain(prefetch);
    return { 'end to end': endToEnd, enqueue, work: secondsSince(begunAt) };
  }

  async close(): Promise<void> {
    await this.#publishing.queueDelete(this.#queue);
    await Promise.all([this.#publishing.close(), this.#consuming.close()]);
    await Promise.all(this.#connections.map((each) => each.close()));
  }

  #publish(window: number): Promise<void> {
    const envelope = { routingKey: this.#queue, durable: true, mandatory: true };
    return inWindow(jobs, window, (index) =>
      this.#publishing.basicPublish({ ...envelope, messageId: `job-${index}` }, body),
    );
  }

  /** An answer to any later command shows that the queue has the acks. */
  async #drain(prefetch: number): Promise<number> {
    const channel = this.#consuming;
    const tally = new Tally(jobs);
    await channel.basicQos({ prefetchCount: prefetch });
    const { consumerTag } = await channel.basicConsume({ queue: this.#queue }, ({ deliveryTag }) => {
      channel.basicAck({ deliveryTag });
      tally.add();
    });
    await tally.finished;
    await channel.basicCancel(consumerTag);
    return tally.begunAt;
  }
}
