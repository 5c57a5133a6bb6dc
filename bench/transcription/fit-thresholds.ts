import { compareTexts, errorRate } from '../../src/transcription/evaluation/compare.ts';
import type { Box, Page, Region } from '../../src/transcription/page/page.ts';
import { linesOf } from '../../src/transcription/recognise/keep-surer.ts';
import { lookAgain } from '../../src/transcription/recognise/look-again.ts';
import { finish } from '../../src/transcription/recognise/read-carefully.ts';
import { secondOpinion } from '../../src/transcription/recognise/second-opinion.ts';
import {
  type Doubts,
  fitted,
  fittedDoubts,
  type Thresholds,
} from '../../src/transcription/recognise/thresholds.ts';
import { toText } from '../../src/transcription/text/text.ts';
import type { Readings } from './readings.ts';
import type { RealPage } from './real-pages.ts';

/** When a page is read again, and when by the other recogniser. */
export interface Setting {
  looks: Thresholds;
  doubts: Doubts;
}
export const ours: Setting = { looks: fitted, doubts: fittedDoubts };

/** A page with all its readings, and what our stages make of them under given thresholds. */
export interface Candidate {
  real: RealPage;
  readings: Readings;
  /** CER by hand. */
  hand: number;
  judge(setting: Setting): Promise<Judged>;
}

export interface Judged {
  /** CER. */
  errors: number;
  cpu: number;
}

const alike = { sameMarks: true, modernLetters: true };
export const rateOf = (truth: string, text: string) => errorRate(compareTexts(truth, text, alike).characters);

export function candidate(real: RealPage, readings: Readings): Candidate {
  const rates = new Map<string, number>();
  const known = new Map<string, Judged>();
  const judge = async (setting: Setting): Promise<Judged> => {
    const key = JSON.stringify(setting);
    const before = known.get(key);
    if (before) return before;
    const { page, cpu } = await chosen(readings, real.language, setting);
    const text = toText(finish(structuredClone(page), { options: { language: real.language } }));
    // Most thresholds lead to the same text, and comparing a newspaper page takes long.
    const errors = rates.get(text) ?? rateOf(real.truth, text);
    rates.set(text, errors);
    known.set(key, { errors, cpu });
    return { errors, cpu };
  };
  return { real, readings, hand: rateOf(real.truth, readings.hand.text), judge };
}

/** The reading that the stages would choose, but for ink that is unread, and what it costs. */
async function chosen({ first, isPrepared, views }: Readings, language: string, { looks, doubts }: Setting) {
  let { cpu } = first;
  const { second } = first;
  const asked =
    second &&
    (await secondOpinion(first.page, {
      unread: [],
      doubts,
      async read(zones) {
        const { page, share } = partOf(second.page, zones);
        cpu += second.find + share * second.read;
        return page;
      },
    }));
  const { page } = await lookAgain(asked?.page ?? first.page, {
    isPrepared,
    language,
    thresholds: looks,
    log: () => {},
    async look(name) {
      const view = views[name];
      cpu += view?.cpu ?? 0;
      return view;
    },
  });
  return { page, cpu };
}

/** The lines in these places, and their share of all that there is to read. */
function partOf(page: Page, zones: readonly Box[] | undefined): { page: Page; share: number } {
  if (!zones) return { page, share: 1 };
  const all = linesOf(page);
  const lines = all.filter(({ box }) => zones.some((zone) => isInside(box, zone)));
  const length = (some: typeof lines) => some.reduce((sum, { box }) => sum + box.width / (box.height + 1), 0);
  const regions = lines.map(({ box, ...line }): Region => {
    return { kind: 'text', box, paragraphs: [{ box, lines: [{ ...line, box }] }] };
  });
  return { page: { ...page, regions }, share: all.length === 0 ? 0 : length(lines) / length(all) };
}

function isInside({ left, top, width, height }: Box, zone: Box): boolean {
  const [x, y] = [left + width / 2, top + height / 2];
  return x >= zone.left && x < zone.left + zone.width && y >= zone.top && y < zone.top + zone.height;
}

const triedLooks: Partial<Record<keyof Thresholds, readonly number[]>> = {
  sureEnough: [0.7, 0.75, 0.8, 0.84, 0.87],
  sureOfFraktur: [0.6, 0.7, 0.75, 0.8],
  sureOfPrepared: [0.75, 0.8, 0.86, 0.9],
  hopeless: [0.5, 0.6, 0.7],
};
const triedDoubts: Partial<Record<keyof Doubts, readonly number[]>> = {
  unsureLine: [0.88, 0.9, 0.92, 0.94, 0.96],
  least: [0, 0.05, 0.1, 0.2],
  unsurePage: [0, 0.5, 0.7, 0.8, 0.85, 0.9],
  sureness: [2, 1.5, 1, 1 / 2, 1 / 3],
  clearly: [0, 0.02, 0.05, 0.08],
  much: [0.02, 0.08, 0.15, 0.25, 0.5],
  believed: [0.75, 0.85, 0.92, 0.96],
};

/** Being worse than by hand counts twice, and more CPU than this is not allowed. */
const mostCpu = 1.6;

/** The thresholds that are best for these pages, found one after another, twice over, from those of the program. */
export async function fit(pages: readonly Candidate[]): Promise<Setting> {
  let best = ours;
  let lowest = await costOf(pages, best);
  const attempt = async (setting: Setting) => {
    const cost = await costOf(pages, setting);
    if (cost < lowest - 1e-6) [best, lowest] = [setting, cost];
  };
  for (let round = 0; round < 2; round++) {
    for (const [name, values] of Object.entries(triedDoubts))
      for (const value of values) await attempt({ ...best, doubts: { ...best.doubts, [name]: value } });
    for (const [name, values] of Object.entries(triedLooks))
      for (const value of values) await attempt({ ...best, looks: { ...best.looks, [name]: value } });
  }
  return best;
}

async function costOf(pages: readonly Candidate[], setting: Setting): Promise<number> {
  let [harm, cpu, handCpu] = [0, 0, 0];
  for (const { hand, readings, judge } of pages) {
    const judged = await judge(setting);
    harm += judged.errors + Math.max(0, judged.errors - hand);
    cpu += judged.cpu;
    handCpu += readings.hand.cpu;
  }
  // Where two are equally good, the cheaper one: one point of CER is worth as much as all that Tesseract needs by hand.
  return harm / pages.length + Math.max(0, cpu / handCpu - mostCpu) + (1e-2 * cpu) / handCpu;
}
