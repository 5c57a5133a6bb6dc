/** A figure of ours that `bench -- compare` sets beside that of another revision. */
export interface Comparable {
  name: string;
  value: number;
  better: 'more' | 'less';
}

export function more(name: string, value: number): Comparable {
  return { name, value, better: 'more' };
}

export function less(name: string, value: number): Comparable {
  return { name, value, better: 'less' };
}
