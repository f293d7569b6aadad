import { ageAt, ageAtLabels } from './head/birth.ts';
import { dayOrderOf } from './head/day-order.ts';
import { type HeadLine, headLinesOf, valuesOf } from './head/labels.ts';
import { labNameOf } from './head/lab-name.ts';
import { letterDateIn, momentIn, type Order, takenDateIn } from './head/moments.ts';
import { birthOfPatient } from './head/patient-birth.ts';
import { patientIn } from './head/patient-name.ts';
import { genderOf } from './head/patient-sex.ts';
import { rowsOf } from './rows.ts';
import type { Language, Page, ReadMetadata } from './word.ts';

/** What the head of a report says of patient, sample and laboratory. Never guesses: what is not printed is null. */
export function metadataOf(pages: readonly Page[], language: Language | null): ReadMetadata {
  const { page, lines } = headOf(pages);
  const order = dayOrderOf(pages, language);
  const last = pages.length > 1 ? pages.at(-1) : undefined;
  const atEnd = last ? headLinesOf(rowsOf(last.words)) : [];
  const dateCollected = momentIn(lines, 'collected', order) ?? takenDateIn(lines, order);
  const dateReported =
    momentIn(lines, 'reported', order) ??
    letterDateIn(lines, order) ??
    reportedAt(atEnd, order) ??
    momentIn(lines, 'printed', order);
  const patient = patientIn(lines, language);
  const age = ageAtLabels(lines);
  const birth = birthOfPatient(lines, { patient, order, when: dateCollected ?? dateReported, age });
  return {
    patientFirstName: patient?.first ?? null,
    patientLastName: patient?.last ?? null,
    dob: birth?.dob ?? null,
    ageYears: age ?? ageAt(birth?.dob ?? null, dateCollected ?? dateReported),
    gender: genderOf({ lines, patient, birth, language }),
    labName: labNameOf(page, {
      lines,
      atEnd,
      patient: [patient?.first, patient?.last].flatMap((name) => name ?? []),
    }),
    dateReported,
    dateCollected,
    specimenNumber: specimenIn(lines),
  };
}

/** "Results released 10/14/2025" at the end of the last page, where the head says nothing of it. */
function reportedAt(lines: readonly HeadLine[], order: Order): string | null {
  const strong = lines.map((line) => ({ ...line, spots: line.spots.filter(({ label }) => !label.isWeak) }));
  return momentIn(strong, 'reported', order);
}

/** The first page; the second one where the first says nothing of anybody, as covers do. */
function headOf(pages: readonly Page[]): { page: Page | undefined; lines: HeadLine[] } {
  const [first, second] = pages;
  const lines = first ? headLinesOf(rowsOf(first.words)) : [];
  if (
    !second ||
    lines.some(({ spots }) => spots.some(({ label }) => label.fields.some((field) => HEADS.has(field))))
  )
    return { page: first, lines };
  return { page: second, lines: headLinesOf(rowsOf(second.words)) };
}

const HEADS: ReadonlySet<string> = new Set([
  'fullName',
  'name',
  'lastName',
  'dob',
  'age',
  'sex',
  'collected',
]);

function specimenIn(lines: readonly HeadLine[]): string | null {
  for (const line of lines) {
    for (const spot of line.spots) {
      if (!spot.label.fields.includes('specimen')) continue;
      for (const { text } of valuesOf(lines, spot)) {
        const number = numberIn(text);
        if (number !== null) return number;
      }
    }
  }
  return null;
}

const numberIn = (text: string): string | null => {
  const word = text.split(/\s+/).find((one) => /\d{3,}/.test(one) && !/^\d{1,2}[./-]\d/.test(one));
  return word?.replace(/^[#:]+|[,;]$/g, '') ?? null;
};
