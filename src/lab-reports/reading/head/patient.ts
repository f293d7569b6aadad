import { bare } from '../plain.ts';
import type { Box } from '../word.ts';
import type { Person } from './person.ts';

/** The patient, and where a report says so. */
export interface Patient extends Pick<Person, 'first' | 'last' | 'titles'> {
  /** Whatever is printed behind the name. */
  readonly rest: string;
  /** Where the name stands, or the line with its label. */
  readonly line: number;
  readonly box: Box;
}

export const namesOf = ({ first, last }: Patient): string[] =>
  bare(`${first ?? ''} ${last ?? ''}`).split(' ');

export const sharesWord = (some: Patient, other: Patient): boolean => {
  const names = new Set(namesOf(other));
  return namesOf(some).some((name) => names.has(name));
};
