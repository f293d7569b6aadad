import { countryLongName } from '../people/schema.ts';
import { isoDay } from '../platform/clock.ts';

// Formats values for printed documents, in the style of US laboratories.

/** Formats `1985-12-10` as `12/10/1985`. */
export function formatDay(day: string): string {
  const [year, month, date] = day.slice(0, 10).split('-');
  return `${month}/${date}/${year}`;
}

/** Formats as `12/10/1985 14:05 UTC`. In UTC, because the reader's time zone is unknown. */
export const formatTimestamp = (moment: Date): string =>
  `${formatDay(isoDay(moment))} ${moment.toISOString().slice(11, 16)} UTC`;

/** Formats the local time of a timestamp with an offset: `2026-03-02T09:30:00-08:00` as `03/02/2026 09:30`. */
export function formatLocalTime(moment: string): string {
  const [day = '', time = ''] = moment.split(/[T ]/);
  const zone = /(?:Z|\+00:?00)$/.test(time) ? ' UTC' : '';
  return `${formatDay(day)} ${time.slice(0, 5)}${zone}`;
}

const SEX_NAMES: Readonly<Record<string, string>> = {
  female: 'Female',
  male: 'Male',
  other: 'Other',
  unknown: 'Unknown',
};
export const formatSex = (gender: string): string => SEX_NAMES[gender] ?? gender;

interface PrintableAddress {
  readonly first_line: string;
  readonly second_line?: string | null | undefined;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
  readonly country: string;
}

/** A multi-line address; empty if there is none. */
export function formatAddress(place: PrintableAddress | null | undefined): string {
  if (!place) return '';
  const city = [place.city, [place.state, place.zip].filter(Boolean).join(' ')].filter(Boolean).join(', ');
  const country = countryLongName(place.country);
  const abroad = country === 'United States' ? '' : country;
  return [place.first_line, place.second_line, city, abroad].filter(Boolean).join('\n');
}

/** Formats `snake_case` as words: `Snake case`. */
export function humanize(word: string): string {
  const spaced = word.replaceAll('_', ' ');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

export const lastNameFirst = (person: { first_name: string; last_name: string }): string =>
  `${person.last_name}, ${person.first_name}`;

/** Formats an amount in US dollars. */
export const formatDollars = (amount: string | number): string => `$${Number(amount).toFixed(2)}`;

/** Formats a UCUM unit for print: `10*3/uL` as `10^3/uL`, `k[IU]/L` as `kIU/L`, `mg/g{creat}` as `mg/g creat`. */
export const formatUnit = (unit: string): string =>
  unit
    .replace(/\b10\*(\d+)/g, '10^$1')
    .replace(/\((\d+)\.h\)/g, '$1 h')
    .replace(/\[([^\]]*)\]/g, (_all, name: string) => name.replaceAll("'", ' '))
    .replace(/(\w?)\{([^}]*)\}/g, (_all, before: string, note: string) =>
      [before, note.replaceAll('_', ' ')].filter(Boolean).join(' '),
    );
