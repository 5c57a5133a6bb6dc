export interface RabbitManagement {
  /** Port of the management API on loopback. */
  port: number;
  user: string;
  password: string;
}

/** Calls the management API of a node; the path begins after /api. */
export async function askRabbit(
  { port, user, password }: RabbitManagement,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}/api${path}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
      'content-type': 'application/json',
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text ? JSON.parse(text) : undefined;
}

/** Whether the node accepts clients at this port. After a kill, a node listens before all its virtual hosts are back. */
export async function rabbitServes(management: RabbitManagement, amqpPort: number): Promise<boolean> {
  const checks = [`port-listener/${amqpPort}`, 'virtual-hosts'];
  return Promise.all(checks.map((check) => askRabbit(management, 'GET', `/health/checks/${check}`))).then(
    () => true,
    () => false,
  );
}

/** The number of running nodes of the cluster, as this node sees it. */
export async function countRabbitNodes(management: RabbitManagement): Promise<number> {
  const members = (await askRabbit(management, 'GET', '/nodes')) as { running: boolean }[];
  return members.filter((member) => member.running).length;
}
