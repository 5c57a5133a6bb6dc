import { PismakError } from '../../engine/ground/errors.ts';

/** Days, and minutes of the day, in which mails of a class may be sent. */
interface Hours {
  /** 0 = Sunday. */
  days: ReadonlySet<number>;
  from: number;
  /** If not after `from`, it ends on the next day. */
  to: number;
}

const dayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const minutesPerDay = 24 * 60;
const minuteMs = 60_000;
const form = /^(?:([a-z]{3})(?:-([a-z]{3}))? )?(\d\d):(\d\d)-(\d\d):(\d\d)$/;

/** `08:00-20:00`, `mon-fri 08:00-18:00`, `sat 22:00-02:00`. */
export function parseHours(text: string): Hours {
  const [, first, last, ...times] = form.exec(text.trim().toLowerCase()) ?? [];
  const [fromHour = 99, fromMinute = 0, toHour = 99, toMinute = 0] = times.map(Number);
  const from = fromHour * 60 + fromMinute;
  const to = toHour * 60 + toMinute;
  const begin = first === undefined ? 0 : dayNames.indexOf(first);
  const end = first === undefined ? 6 : last === undefined ? begin : dayNames.indexOf(last);
  const isTime = (minutes: number, minute: number) => minutes <= minutesPerDay && minute < 60;
  if (begin < 0 || end < 0 || !isTime(from, fromMinute) || !isTime(to, toMinute) || from === to)
    throw new PismakError(
      'configuration-invalid',
      `${JSON.stringify(text)} are not sending hours; write them like "mon-fri 08:00-18:00" or "08:00-20:00"`,
    );
  const count = ((end - begin + 7) % 7) + 1;
  return { days: new Set(Array.from({ length: count }, (_, index) => (begin + index) % 7)), from, to };
}

/** The sending hours of a class. Without any, mails are sent at all times. */
export class SendingHours {
  readonly #hours: readonly Hours[];
  readonly #format: Intl.DateTimeFormat;

  constructor(texts: readonly string[], timeZone: string) {
    this.#hours = texts.map(parseHours);
    this.#format = new Intl.DateTimeFormat('en-US', {
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
      ...(timeZone !== '' && { timeZone }),
    });
  }

  get isAlways(): boolean {
    return this.#hours.length === 0;
  }

  isOpen(now: number): boolean {
    if (this.isAlways) return true;
    const parts = Object.fromEntries(this.#format.formatToParts(now).map(({ type, value }) => [type, value]));
    const day = dayNames.indexOf((parts.weekday ?? '').toLowerCase());
    const minute = Number(parts.hour) * 60 + Number(parts.minute);
    return this.#hours.some(({ days, from, to }) =>
      from < to
        ? days.has(day) && minute >= from && minute < to
        : (days.has(day) && minute >= from) || (days.has((day + 6) % 7) && minute < to),
    );
  }

  /** When the next hours begin; null while mails may leave. */
  opensAt(now: number): number | null {
    if (this.isOpen(now)) return null;
    // Minute by minute, because of daylight saving time. A week has 10,080 minutes.
    for (let at = now - (now % minuteMs) + minuteMs; at <= now + 8 * minutesPerDay * minuteMs; at += minuteMs)
      if (this.isOpen(at)) return at;
    return null;
  }
}
