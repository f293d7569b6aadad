/** Year, and as much of the rest as is known; the fraction of a second; the offset from UTC. */
const MOMENT =
  /^(\d{4})(?:(\d{2})(?:(\d{2})(?:(\d{2})(?:(\d{2})(?:(\d{2})(?:\.(\d{1,6}))?)?)?)?)?)?([+-]\d{4})?$/;

const MINUTE_MS = 60_000;

/**
 * A moment of HL7 (`YYYY[MM[DD[HH[MM[SS[.S...]]]]]][+-ZZZZ]`), its missing parts at their beginning. Without an offset
 * it is meant in `offset` (that of the message), else in the time zone. Undefined for what is no moment.
 */
export function readMoment(
  text: string | null,
  { offset, timeZone }: { offset: string | undefined; timeZone: string },
): Date | undefined {
  const match = MOMENT.exec(text ?? '');
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map((n) =>
    Number(match[n] ?? (n < 4 ? 1 : 0)),
  );
  const milliseconds = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3));
  const asUtc = Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second, milliseconds);
  const isReal = new Date(asUtc).getUTCMonth() + 1 === month && new Date(asUtc).getUTCDate() === day;
  if (!isReal || (hour ?? 0) > 24 || (minute ?? 0) > 59 || (second ?? 0) > 60) return undefined;
  const ahead = match[8] ?? offset;
  return new Date(ahead === undefined ? asUtc - zoneOffsetMs(asUtc, timeZone) : asUtc - offsetMs(ahead));
}

/** The offset that a moment carries, as `-0500`. */
export const offsetOf = (text: string | null): string | undefined => MOMENT.exec(text ?? '')?.[8];

const offsetMs = (offset: string): number =>
  (offset.startsWith('-') ? -1 : 1) *
  (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(3, 5))) *
  MINUTE_MS;

/** How far the zone is ahead of UTC at a moment of its own clock. */
function zoneOffsetMs(wall: number, timeZone: string): number {
  if (timeZone === 'UTC') return 0;
  const guess = wall - aheadAt(wall, timeZone);
  return wall - guess === aheadAt(guess, timeZone) ? wall - guess : aheadAt(guess, timeZone);
}

const formats = new Map<string, Intl.DateTimeFormat>();

function aheadAt(moment: number, timeZone: string): number {
  let format = formats.get(timeZone);
  if (!format) {
    const parts = {
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    } as const;
    format = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', second: 'numeric', ...parts });
    formats.set(timeZone, format);
  }
  const part = new Map<string, number>(
    format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]),
  );
  const at = (name: string) => part.get(name) ?? 0;
  const wall = Date.UTC(at('year'), at('month') - 1, at('day'), at('hour'), at('minute'), at('second'));
  return wall - Math.floor(moment / 1000) * 1000;
}

/** `YYYY-MM-DD` of a date or moment of HL7; null for what is none, and for one of less than a day's precision. */
export function readDay(text: string | null): string | null {
  const match = MOMENT.exec(text ?? '');
  if (!match?.[2] || !match[3]) return null;
  const day = `${match[1]}-${match[2]}-${match[3]}`;
  return Number.isNaN(Date.parse(day)) ? null : day;
}

/** Whether a moment is told to the hour at least. */
export const hasHour = (text: string | null): boolean => MOMENT.exec(text ?? '')?.[4] !== undefined;

const parted = (mark: string, ...parts: readonly (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined).join(mark);

/** A date or moment of HL7 for people, as precise as it came: `2026-02-01 08:30`. What is none stays as it is. */
export function printMoment(text: string): string {
  const [match, year, month, day, hour, minute, second, fraction, zone] = MOMENT.exec(text) ?? [];
  if (match === undefined) return text;
  const time = parted(':', hour, minute, second && parted('.', second, fraction));
  return parted(' ', parted('-', year, month, day), time || undefined, zone);
}

const SOME_DAY = '20000101';

/** The same of a time of day: `08:30`. */
export const printTime = (text: string): string =>
  MOMENT.test(SOME_DAY + text) ? printMoment(SOME_DAY + text).slice(SOME_DAY.length + 3) : text;

/** A moment as HL7 writes it, to the second, in UTC. */
export const writeMoment = (moment: Date): string =>
  `${moment.toISOString().slice(0, 19).replace(/[-:T]/g, '')}+0000`;
