import { memoizeByText } from '../../../platform/memoize.ts';
import type { ReceivedPatient } from '../received.ts';
import { hasCheckDigit } from '../loinc-code.ts';
import { DEFAULT_DELIMITERS } from './escape.ts';
import { parseDay } from './timestamp.ts';
import { createFieldReader, type FieldReader, type Hl7Segment } from './syntax.ts';

/** The readers for one message. */
export interface Hl7Readers {
  readonly read: FieldReader;
  readonly readTimestamp: (text: string | null) => Date | null;
  /** The performing laboratory of an OBX (OBX-15), from the sites in the message. */
  readonly siteOf: (observation: Hl7Segment) => { readonly name: string | null } | undefined;
}

/** The laboratory's code, the name and the LOINC code of a CE or CWE, which can hold two code systems. */
interface CodedElement {
  readonly code: string | null;
  readonly name: string | null;
  readonly loinc: string | null;
}

export const readCodedElement = (read: FieldReader, raw = ''): CodedElement =>
  read.isUsual ? readCachedElement(raw) : parseCodedElement(read, raw);

/** Cached, because a laboratory's codes repeat in every message. */
const readCachedElement = memoizeByText((raw) =>
  parseCodedElement(createFieldReader({ delimiters: DEFAULT_DELIMITERS }), raw),
);

function parseCodedElement(read: FieldReader, raw: string): CodedElement {
  const at = (component: number) => read.part(raw, component);
  const pairs = [
    { code: at(1), name: at(2), system: at(3) },
    { code: at(4), name: at(5), system: at(6) },
  ];
  const isLoinc = ({ system }: (typeof pairs)[number]) => LOINC_SYSTEMS.has((system ?? '').toUpperCase());
  // Some laboratories mark their own codes as LOINC.
  const loinc = pairs.find((pair) => isLoinc(pair) && pair.code !== null && hasCheckDigit(pair.code));
  const coded = pairs.filter((pair) => pair !== loinc && pair.code !== null);
  const own = coded.find((pair) => !isLoinc(pair)) ?? coded[0];
  const [, suffix] = read.subparts(raw, 1);
  const first = pairs[0]?.code;
  return {
    // The impression and addendum of a text have its code with a suffix: `8709-8&IMP`.
    code: first && suffix && SUFFIX.test(suffix) ? `${first}&${suffix}` : (own?.code ?? null),
    name: own?.name ?? loinc?.name ?? at(9),
    loinc: loinc?.code ?? null,
  };
}

/** Suffixes of the standard. */
const SUFFIX = /^[A-Z]{3}$/;

const LOINC_SYSTEMS = new Set(['LN', 'LNC', 'LOINC', '2.16.840.1.113883.6.1']);

// prettier-ignore
const GENDERS: Readonly<Record<string, ReceivedPatient['gender']>> = {
  M: 'male', MALE: 'male', F: 'female', FEMALE: 'female', O: 'other', A: 'other', X: 'other',
};

export const readPatient = (read: FieldReader, pid: Hl7Segment): ReceivedPatient => ({
  lastName: read.get(pid, 5, 1),
  firstName: read.get(pid, 5, 2),
  dob: parseDay(read.get(pid, 7)),
  gender: GENDERS[(read.get(pid, 8) ?? '').toUpperCase()] ?? null,
  patientId: read.get(pid, 3) ?? read.get(pid, 2) ?? read.get(pid, 4),
});

const CLIA = /^\d{2}D\d{7}$/;
const CLIA_FIELDS = [15, 23, 4] as const;
const COMPONENTS = 10;

export function findClia(read: FieldReader, segments: readonly (Hl7Segment | undefined)[]): string | null {
  return findDefined(segments, (one) => {
    for (const field of CLIA_FIELDS) {
      if (!one?.fields[field] || (field === 4 && one.name !== 'MSH')) continue;
      for (let component = 1; component <= COMPONENTS; component += 1) {
        const text = read.get(one, field, component);
        if (text !== null && CLIA.test(text)) return text;
      }
    }
    return null;
  });
}

/** The text of an NTE: its repetitions on separate lines. Of a malformed line: what is wrong with it. */
export const readNote = (read: FieldReader, note: Hl7Segment): string | null => {
  if (note.problem !== undefined) return note.problem;
  const text = read
    .all(note, 3)
    .map((line) => read.text(line === '""' ? '' : line).trimEnd())
    .join('\n')
    .trim();
  return text === '' ? null : text;
};

/** Maps and drops null results. Ten times as fast as `flatMap`, which matters for large messages. */
export function mapDefined<T, R>(things: readonly T[], of: (thing: T) => R | null | undefined): R[] {
  const all: R[] = [];
  for (const thing of things) {
    const found = of(thing);
    if (found !== null && found !== undefined) all.push(found);
  }
  return all;
}

/** The first result that is not null. */
export function findDefined<T, R>(things: readonly T[], of: (thing: T) => R | null): R | null {
  for (const thing of things) {
    const found = of(thing);
    if (found !== null) return found;
  }
  return null;
}
