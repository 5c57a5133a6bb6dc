const dayMs = 86_400_000;
const withZone = /T.*(Z|[+-]\d\d:?\d\d)$/;

/**
 * A time with its zone in ms since 1970; NaN if it is none. `Date.parse` takes a third of the time of an event, so the usual forms
 * (2026-03-29T01:59:00Z, with milliseconds, with +01:00) are read by hand, and everything else by it.
 */
export function parseMoment(text: string): number {
  const moment = parseUsual(text);
  if (moment !== undefined) return moment;
  return withZone.test(text) ? Date.parse(text) : Number.NaN;
}

/** Most events of a batch are of the same day. */
let latest = { date: -1, ms: 0 };

function parseUsual(text: string): number | undefined {
  if (text.length < 20 || text.length > 29) return undefined;
  if (text.charCodeAt(4) !== dash || text.charCodeAt(7) !== dash || text.charCodeAt(10) !== letterT)
    return undefined;
  if (text.charCodeAt(13) !== colon || text.charCodeAt(16) !== colon) return undefined;
  const year = two(text, 0) * 100 + two(text, 2);
  const month = two(text, 5);
  const day = two(text, 8);
  const hour = two(text, 11);
  const minute = two(text, 14);
  const second = two(text, 17);
  // What is no digit became NaN, and no comparison with it holds. The 29th to 31st need a calendar.
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= 31 && hour < 24 && minute < 60 && second < 60))
    return undefined;
  const date = year * 10_000 + month * 100 + day;
  if (latest.date !== date) {
    if (!(year >= 1000)) return undefined;
    const ms = Date.UTC(year, month - 1, day);
    if (new Date(ms).getUTCDate() !== day) return undefined;
    latest = { date, ms };
  }
  const ms = latest.ms + hour * 3_600_000 + minute * 60_000 + second * 1000;
  return fractionAndZone(text, ms);
}

function fractionAndZone(text: string, seconds: number): number | undefined {
  let at = 19;
  let ms = seconds;
  if (text.charCodeAt(at) === dot) {
    const fraction = two(text, 20) * 10 + (two(text, 21) % 10);
    if (!(fraction >= 0)) return undefined;
    ms += fraction;
    at = 23;
  }
  const sign = text.charCodeAt(at);
  if (sign === letterZ) return text.length === at + 1 ? ms : undefined;
  if ((sign !== plus && sign !== dash) || text.length !== at + 6 || text.charCodeAt(at + 3) !== colon)
    return undefined;
  const hours = two(text, at + 1);
  const minutes = two(text, at + 4);
  if (!(hours < 24 && minutes < 60)) return undefined;
  const offset = hours * 3_600_000 + minutes * 60_000;
  const moment = sign === plus ? ms - offset : ms + offset;
  return Math.abs(moment) <= 1e8 * dayMs ? moment : undefined;
}

const [dash, plus, colon, dot, letterT, letterZ] = [45, 43, 58, 46, 84, 90];

/** Two digits as a number; NaN if they are none. */
function two(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? 10 * tens + ones : Number.NaN;
}
