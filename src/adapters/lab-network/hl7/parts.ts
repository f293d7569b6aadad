import { remembered } from '../../../platform/remembered.ts';
import type { ReceivedPatient } from '../received.ts';
import { USUAL } from './escape.ts';
import { readDay } from './moment.ts';
import { readerOf, type FieldReader, type Segment } from './syntax.ts';

/** How this message writes moments, and its own. */
export interface Reading {
  readonly read: FieldReader;
  readonly moment: (text: string | null) => Date | null;
  /** The laboratory that an OBX names in OBX-15, by the sites that the message tells of. */
  readonly siteOf: (observation: Segment) => { readonly name: string | null } | undefined;
}

/** Code of the laboratory, name and LOINC of a CE or CWE; two systems may stand side by side. */
export interface Coded {
  readonly code: string | null;
  readonly name: string | null;
  readonly loinc: string | null;
}

export const codedOf = (read: FieldReader, raw = ''): Coded =>
  read.isUsual ? usuallyCoded(raw) : coded(read, raw);

/** A laboratory's codes come with every message of it. */
const usuallyCoded = remembered((raw) => coded(readerOf({ delimiters: USUAL }), raw));

function coded(read: FieldReader, raw: string): Coded {
  const at = (component: number) => read.part(raw, component);
  const pairs = [
    { code: at(1), name: at(2), system: at(3) },
    { code: at(4), name: at(5), system: at(6) },
  ];
  const loinc = pairs.find(({ system }) => LOINC_SYSTEMS.has((system ?? '').toUpperCase()));
  const own = pairs.find((pair) => pair !== loinc && pair.code !== null);
  const [, suffix] = read.subparts(raw, 1);
  const first = pairs[0]?.code;
  return {
    // The impression and the addendum of a text go by its code with a suffix, as `8709-8&IMP`.
    code: first && suffix && SUFFIX.test(suffix) ? `${first}&${suffix}` : (own?.code ?? null),
    name: own?.name ?? loinc?.name ?? at(9),
    loinc: loinc?.code ?? null,
  };
}

/** Those of the standard. */
const SUFFIX = /^[A-Z]{3}$/;

const LOINC_SYSTEMS = new Set(['LN', 'LNC', 'LOINC', '2.16.840.1.113883.6.1']);

// prettier-ignore
const GENDERS: Readonly<Record<string, ReceivedPatient['gender']>> = {
  M: 'male', MALE: 'male', F: 'female', FEMALE: 'female', O: 'other', A: 'other', X: 'other',
};

export const patientOf = (read: FieldReader, pid: Segment): ReceivedPatient => ({
  lastName: read.get(pid, 5, 1),
  firstName: read.get(pid, 5, 2),
  dob: readDay(read.get(pid, 7)),
  gender: GENDERS[(read.get(pid, 8) ?? '').toUpperCase()] ?? null,
  patientId: read.get(pid, 3) ?? read.get(pid, 2) ?? read.get(pid, 4),
});

const CLIA = /^\d{2}D\d{7}$/;
const CLIA_PLACES = [15, 23, 4] as const;
const COMPONENTS = 10;

export function cliaOf(read: FieldReader, segments: readonly (Segment | undefined)[]): string | null {
  return first(segments, (one) => {
    for (const field of CLIA_PLACES) {
      if (!one?.fields[field] || (field === 4 && one.name !== 'MSH')) continue;
      for (let component = 1; component <= COMPONENTS; component += 1) {
        const text = read.get(one, field, component);
        if (text !== null && CLIA.test(text)) return text;
      }
    }
    return null;
  });
}

/** The lines of an NTE: its repetitions, each with its own line breaks. */
export const noteOf = (read: FieldReader, note: Segment): string | null => {
  const text = read
    .all(note, 3)
    .map((line) => read.text(line === '""' ? '' : line).trimEnd())
    .join('\n')
    .trim();
  return text === '' ? null : text;
};

/** The answers that are one, in their order. A message has hundreds, and `flatMap` takes ten times as long. */
export function answersOf<T, R>(things: readonly T[], of: (thing: T) => R | null | undefined): R[] {
  const all: R[] = [];
  for (const thing of things) {
    const found = of(thing);
    if (found !== null && found !== undefined) all.push(found);
  }
  return all;
}

/** The first answer that is one. */
export function first<T, R>(things: readonly T[], of: (thing: T) => R | null): R | null {
  for (const thing of things) {
    const found = of(thing);
    if (found !== null) return found;
  }
  return null;
}
