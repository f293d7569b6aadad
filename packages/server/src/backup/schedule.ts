import { DAY, HOUR, later, MINUTE } from '../platform/clock.ts';

/** The first time after `now` at which a backup is due; `lastAt` is the last success. */
export function nextBackupAt(schedule: string, now: Date, lastAt: Date | null): Date {
  const hours = /^(\d+)h$/.exec(schedule)?.[1];
  if (hours !== undefined) {
    const next = later(lastAt ?? now, Number(hours) * HOUR);
    return lastAt === null || next < now ? now : next;
  }
  const [hour = 0, minute = 0] = schedule.split(':').map(Number);
  const today = new Date(now);
  today.setUTCHours(0, 0, 0, 0);
  const at = later(today, hour * HOUR + minute * MINUTE);
  return at > now ? at : later(at, DAY);
}

/** The pause between two verifications. */
export const VERIFY_INTERVAL_MS = { daily: DAY, weekly: 7 * DAY, monthly: 30 * DAY } as const;

/** The name of a backup: the time in UTC at which it was begun, and a random part. */
const NAME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-[0-9a-f]{8}$/;

export const backupName = (at: Date, random: string): string =>
  `${at.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z-${random}`;

/** The time that a name of a scheduled backup contains; undefined for any other name. */
export function timeOfName(name: string): Date | undefined {
  const [, year, month, day, hour, minute, second] = NAME.exec(name) ?? [];
  return year === undefined ? undefined : new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

interface BackupRetention {
  readonly keepCount: number;
  readonly keepDays: number;
  readonly now: Date;
}

/** The names to remove: neither among the newest nor young. Ignores names that the schedule did not give. */
export function listExpired(
  names: readonly string[],
  { keepCount, keepDays, now }: BackupRetention,
): string[] {
  const young = later(now, -keepDays * DAY);
  return names
    .filter((name) => timeOfName(name) !== undefined)
    .toSorted()
    .toReversed()
    .slice(keepCount)
    .filter((name) => (timeOfName(name) ?? now) < young);
}
