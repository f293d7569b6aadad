import { normalizeWords } from '../text-normalization.ts';
import type { BoundingBox } from '../report-model.ts';
import type { HeaderPerson } from './person.ts';

/** The patient, and the position of the name in the report. */
export interface HeaderPatient extends Pick<HeaderPerson, 'first' | 'last' | 'titles'> {
  /** The text after the name. */
  readonly rest: string;
  /** The line of the name or of its label. */
  readonly line: number;
  readonly box: BoundingBox;
}

export const getNameWords = ({ first, last }: HeaderPatient): string[] =>
  normalizeWords(`${first ?? ''} ${last ?? ''}`).split(' ');

export const hasSharedName = (some: HeaderPatient, other: HeaderPatient): boolean => {
  const names = new Set(getNameWords(other));
  return getNameWords(some).some((name) => names.has(name));
};
