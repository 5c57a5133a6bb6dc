import type { Metric } from '../../engine/ground/metric.ts';

export type { Metric, Sample } from '../../engine/ground/metric.ts';

/** The text format that Prometheus reads. */
export const prometheusType = 'text/plain; version=0.0.4; charset=utf-8';

export function prometheusText(metrics: readonly Metric[]): string {
  return metrics
    .filter((metric) => metric.samples.length > 0)
    .map(({ name, help, type, samples }) => {
      const lines = samples.map(({ labels = {}, value }) => `${name}${labelText(labels)} ${value}`);
      return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('\n')}\n`;
    })
    .join('');
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
