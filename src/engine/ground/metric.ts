/** A measurement, as `/metrics` shows it. */
export interface Metric {
  name: string;
  help: string;
  type: 'gauge' | 'counter';
  samples: Sample[];
}

export interface Sample {
  labels?: Readonly<Record<string, string>>;
  value: number;
}
