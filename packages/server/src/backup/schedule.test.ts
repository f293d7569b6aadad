import { describe, expect, it } from 'vitest';
import { backupName, listExpired, nextBackupAt, timeOfName } from './schedule.ts';

const at = (text: string) => new Date(`2026-11-${text}:00Z`);

describe('the schedule of backups', () => {
  // prettier-ignore
  it.each<[string, string, string | null, string]>([
    ['03:00', '25T02:59', null,       '25T03:00'],
    ['03:00', '25T03:00', null,       '26T03:00'],
    ['00:00', '25T23:59', '25T00:00', '26T00:00'],
    ['6h',    '25T10:00', null,       '25T10:00'],
    ['6h',    '25T10:00', '25T09:00', '25T15:00'],
    ['6h',    '25T10:00', '24T09:00', '25T10:00'],
  ])('%s, at %s with the last success at %s, is due at %s', (schedule, now, last, due) => {
    expect(nextBackupAt(schedule, at(now), last === null ? null : at(last))).toEqual(at(due));
  });

  it('names a backup by its time, and ignores other names', () => {
    const name = backupName(at('25T03:00'), 'deadbeef');
    expect(name).toBe('20261125T030000Z-deadbeef');
    expect(timeOfName(name)).toEqual(at('25T03:00'));
    expect(timeOfName('20261125T030000Z')).toBeUndefined();
  });

  it('keeps the newest and the young, whichever are more', () => {
    const names = ['01', '05', '10', '20', '24', '25'].map((day) =>
      backupName(at(`${day}T03:00`), 'deadbeef'),
    );
    const days = (keepCount: number, keepDays: number) =>
      listExpired([...names, 'mine'], { keepCount, keepDays, now: at('25T12:00') }).map((name) =>
        name.slice(6, 8),
      );
    expect(days(1, 0)).toEqual(['24', '20', '10', '05', '01']);
    expect(days(1, 7)).toEqual(['10', '05', '01']);
    expect(days(5, 1)).toEqual(['01']);
    expect(days(6, 0)).toEqual([]);
    expect(days(1, 365)).toEqual([]);
  });
});
