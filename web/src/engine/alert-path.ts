/** Where an alert is looked after, below /console/. Undefined: no page of the engine can help. */
export function alertPath({ kind, entity }: { kind: string; entity: string }): string | undefined {
  const name = encodeURIComponent(entity);
  if (kind === 'queue.dead-letters') return `engine/queues/${name}?show=dead`;
  const [subject] = kind.split('.');
  if (subject === 'queue') return `engine/queues/${name}`;
  if (subject === 'stage') return `engine/stages/${name}`;
  if (subject === 'worker') return `engine/workers/${name}`;
  if (subject === 'schedule') return `engine/schedules/${name}`;
  return undefined;
}
