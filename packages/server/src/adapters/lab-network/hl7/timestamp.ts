/** An HL7 timestamp of any precision, with optional fraction and UTC offset. */
const TIMESTAMP =
  /^(\d{4})(?:(\d{2})(?:(\d{2})(?:(\d{2})(?:(\d{2})(?:(\d{2})(?:\.(\d{1,6}))?)?)?)?)?)?([+-]\d{4})?$/;

const MINUTE_MS = 60_000;

/**
 * Parses an HL7 timestamp (`YYYY[MM[DD[HH[MM[SS[.S...]]]]]][+-ZZZZ]`); missing parts default to their minimum. Without
 * an offset, `offset` (that of the message) applies, else the time zone. Undefined for an invalid timestamp.
 */
export function parseTimestamp(
  text: string | null,
  { offset, timeZone }: { offset: string | undefined; timeZone: string },
): Date | undefined {
  const match = TIMESTAMP.exec(text ?? '');
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map((n) =>
    Number(match[n] ?? (n < 4 ? 1 : 0)),
  );
  const milliseconds = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3));
  const asUtc = Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second, milliseconds);
  const isReal = new Date(asUtc).getUTCMonth() + 1 === month && new Date(asUtc).getUTCDate() === day;
  if (!isReal || (hour ?? 0) > 24 || (minute ?? 0) > 59 || (second ?? 0) > 60) return undefined;
  const ahead = match[8] ?? offset;
  return new Date(
    ahead === undefined ? asUtc - getZoneOffsetMs(asUtc, timeZone) : asUtc - parseOffsetMs(ahead),
  );
}

/** The UTC offset in a timestamp, for example `-0500`. */
export const readOffset = (text: string | null): string | undefined => TIMESTAMP.exec(text ?? '')?.[8];

const parseOffsetMs = (offset: string): number =>
  (offset.startsWith('-') ? -1 : 1) *
  (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(3, 5))) *
  MINUTE_MS;

/** The UTC offset of the zone at a local time, in milliseconds. */
function getZoneOffsetMs(wall: number, timeZone: string): number {
  if (timeZone === 'UTC') return 0;
  const guess = wall - getOffsetAtMs(wall, timeZone);
  return wall - guess === getOffsetAtMs(guess, timeZone) ? wall - guess : getOffsetAtMs(guess, timeZone);
}

const formats = new Map<string, Intl.DateTimeFormat>();

function getOffsetAtMs(moment: number, timeZone: string): number {
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

/** The `YYYY-MM-DD` of an HL7 date or timestamp; null if invalid or less precise than a day. */
export function parseDay(text: string | null): string | null {
  const match = TIMESTAMP.exec(text ?? '');
  if (!match?.[2] || !match[3]) return null;
  const day = `${match[1]}-${match[2]}-${match[3]}`;
  return Number.isNaN(Date.parse(day)) ? null : day;
}

/** Whether a timestamp has at least hour precision. */
export const hasHour = (text: string | null): boolean => TIMESTAMP.exec(text ?? '')?.[4] !== undefined;

const joinDefined = (mark: string, ...parts: readonly (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined).join(mark);

/** Formats an HL7 date or timestamp for display at its own precision: `2026-02-01 08:30`. Invalid text is unchanged. */
export function printTimestamp(text: string): string {
  const [match, year, month, day, hour, minute, second, fraction, zone] = TIMESTAMP.exec(text) ?? [];
  if (match === undefined) return text;
  const time = joinDefined(':', hour, minute, second && joinDefined('.', second, fraction));
  return joinDefined(' ', joinDefined('-', year, month, day), time || undefined, zone);
}

const ANY_DAY = '20000101';

/** Formats an HL7 time of day for display: `08:30`. */
export const printTime = (text: string): string =>
  TIMESTAMP.test(ANY_DAY + text) ? printTimestamp(ANY_DAY + text).slice(ANY_DAY.length + 3) : text;

/** Writes an HL7 timestamp in UTC, with second precision. */
export const writeTimestamp = (moment: Date): string =>
  `${moment.toISOString().slice(0, 19).replace(/[-:T]/g, '')}+0000`;
