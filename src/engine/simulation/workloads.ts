import type { WorkloadText } from './workload.ts';

/** The built-in workloads, by name. They never change, so figures of different versions can be compared. */
export const workloads: Record<string, WorkloadText> = {
  seed: {
    about: 'three stages, two workers, five requests every 220 s: more than the workers can do',
    stages: [
      { name: 'stage1', time: [36, 56] },
      { name: 'stage2', time: [29, 48] },
      { name: 'stage3', time: [8, 38] },
    ],
    workers: [{ count: 2 }],
    arrivals: [{ count: 5, every: 220, series: 30 }],
    averages: { initial: 100, rule: 'halving' },
  },

  bursty: {
    about: 'every hour 500 short requests at once into a steady stream of long ones',
    stages: [
      { name: 'scan', time: [20, 40] },
      { name: 'read', time: [30, 60] },
      { name: 'write', time: [5, 15] },
      { name: 'short', time: [1, 3] },
    ],
    workers: [{ count: 4 }],
    arrivals: [
      { stages: ['scan', 'read', 'write'], every: 40, series: 360, random: true },
      { stages: ['short'], count: 500, every: 3600, series: 4, start: 1800 },
    ],
  },

  skewed: {
    about: 'ten stages whose messages take from 0.05 to 60 s',
    stages: [
      [0.05, 0.15],
      [0.05, 0.2],
      [0.1, 0.4],
      [0.2, 0.8],
      [0.5, 1.5],
      [1, 3],
      [2, 8],
      [5, 20],
      [15, 45],
      [30, 60],
    ].map(([least = 0, most = 0], index) => ({ name: `stage${index + 1}`, time: [least, most] })),
    workers: [{ count: 6 }],
    arrivals: [
      { every: 30, series: 400, random: true },
      { stages: ['stage1', 'stage3', 'stage5'], every: 4, series: 3000, random: true },
      { stages: ['stage2', 'stage9'], every: 30, series: 400, random: true },
    ],
  },

  labels: {
    about: 'two of eight workers have the GPU that two of six stages need',
    stages: [
      { name: 'split', time: [2, 4] },
      { name: 'prepare', time: [10, 20] },
      { name: 'layout', time: [20, 40], labels: ['gpu'] },
      { name: 'read', time: [30, 60], labels: ['gpu'] },
      { name: 'correct', time: [5, 10] },
      { name: 'export', time: [4, 8] },
    ],
    workers: [{ count: 2, labels: ['gpu'] }, { count: 6 }],
    arrivals: [
      { every: 45, series: 300, random: true },
      { stages: ['split', 'prepare', 'export'], every: 6, series: 2000, random: true },
    ],
  },

  chain: {
    about: 'twelve short stages in a row, four workers',
    stages: Array.from({ length: 12 }, (_, index) => ({ name: `stage${index + 1}`, time: [1, 3] })),
    workers: [{ count: 4 }],
    arrivals: [{ every: 9, series: 600, random: true }],
    reconfiguration: 2,
    planning: 2,
  },

  priorities: {
    about: 'one stage of priority 0, one of 5, and one of -1 for the middle third of the time',
    stages: [
      { name: 'normal', time: [10, 20] },
      { name: 'urgent', time: [10, 20], priority: 5 },
      { name: 'held', time: [10, 20] },
    ],
    workers: [{ count: 3 }],
    arrivals: [
      { stages: ['normal'], every: 15, series: 480, random: true },
      { stages: ['urgent'], every: 30, series: 240, random: true },
      { stages: ['held'], every: 30, series: 240, random: true },
    ],
    changes: [
      { at: 2400, stage: 'held', priority: -1 },
      { at: 4800, stage: 'held', priority: 0 },
    ],
  },

  unable: {
    about: 'seven of eight workers fail to load one of three stages, each after 20 s',
    stages: [
      { name: 'read', time: [10, 30] },
      { name: 'enhance', time: [10, 30] },
      { name: 'write', time: [5, 15] },
    ],
    workers: [{ count: 7, unable: ['enhance'], loading: 20 }, { count: 1 }],
    arrivals: [
      { stages: ['read', 'write'], every: 10, series: 1000, random: true },
      { every: 240, series: 40, random: true },
    ],
  },
};
