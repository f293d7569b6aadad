import { countryLongName } from '../../people/schema.ts';
import { isoDay } from '../../platform/clock.ts';

// How facts are written on paper: as American laboratories do.

/** `1985-12-10` is `12/10/1985`. */
export function writtenDay(day: string): string {
  const [year, month, date] = day.slice(0, 10).split('-');
  return `${month}/${date}/${year}`;
}

/** `12/10/1985 14:05 UTC`; nobody on the way knows where the paper will be read. */
export const writtenMoment = (moment: Date): string =>
  `${writtenDay(isoDay(moment))} ${moment.toISOString().slice(11, 16)} UTC`;

/** A moment as the caller wrote it, on the clock of the place where it was: `2026-03-02T09:30:00-08:00`. */
export function writtenAsGiven(moment: string): string {
  const [day = '', time = ''] = moment.split(/[T ]/);
  const zone = /(?:Z|\+00:?00)$/.test(time) ? ' UTC' : '';
  return `${writtenDay(day)} ${time.slice(0, 5)}${zone}`;
}

const SEX: Readonly<Record<string, string>> = {
  female: 'Female',
  male: 'Male',
  other: 'Other',
  unknown: 'Unknown',
};
export const writtenSex = (gender: string): string => SEX[gender] ?? gender;

interface Place {
  readonly first_line: string;
  readonly second_line?: string | null | undefined;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
  readonly country: string;
}

/** Several lines; nothing for a place of which nothing is known. */
export function writtenAddress(place: Place | null | undefined): string {
  if (!place) return '';
  const city = [place.city, [place.state, place.zip].filter(Boolean).join(' ')].filter(Boolean).join(', ');
  const country = countryLongName(place.country);
  const abroad = country === 'United States' ? '' : country;
  return [place.first_line, place.second_line, city, abroad].filter(Boolean).join('\n');
}

/** `snake_case` as words. */
export function written(word: string): string {
  const spaced = word.replaceAll('_', ' ');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

export const lastNameFirst = (person: { first_name: string; last_name: string }): string =>
  `${person.last_name}, ${person.first_name}`;

/** An amount of US dollars. */
export const dollars = (amount: string | number): string => `$${Number(amount).toFixed(2)}`;

/** A unit of UCUM as it is printed: `10*3/uL` is `10^3/uL`, `k[IU]/L` is `kIU/L`, `mg/g{creat}` is `mg/g creat`. */
export const writtenUnit = (unit: string): string =>
  unit
    .replace(/\b10\*(\d+)/g, '10^$1')
    .replace(/\((\d+)\.h\)/g, '$1 h')
    .replace(/\[([^\]]*)\]/g, (_all, name: string) => name.replaceAll("'", ' '))
    .replace(/(\w?)\{([^}]*)\}/g, (_all, before: string, note: string) =>
      [before, note.replaceAll('_', ' ')].filter(Boolean).join(' '),
    );
