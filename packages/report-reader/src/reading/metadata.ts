import { calculateAge, readLabeledAge } from './header/birth.ts';
import { inferDayOrder } from './header/day-order.ts';
import { type HeaderLine, readHeaderLines, findLabelValues } from './header/labels.ts';
import { readLabName } from './header/lab-name.ts';
import {
  findLetterDate,
  findHeaderDate,
  type HeaderDayOrder,
  findCollectionDate,
} from './header/header-dates.ts';
import { findPatientBirth } from './header/patient-birth.ts';
import { findPatient } from './header/patient-name.ts';
import { detectGender } from './header/patient-sex.ts';
import { groupIntoRows } from './rows.ts';
import type { Language, ReportPage, ParsedMetadata } from './report-model.ts';

/** Reads patient, sample and laboratory from the report header. Never guesses: what is not printed is null. */
export function readMetadata(pages: readonly ReportPage[], language: Language | null): ParsedMetadata {
  const { page, lines } = findHeaderPage(pages);
  const order = inferDayOrder(pages, language);
  const last = pages.length > 1 ? pages.at(-1) : undefined;
  const atEnd = last ? readHeaderLines(groupIntoRows(last.words)) : [];
  const dateCollected = findHeaderDate(lines, 'collected', order) ?? findCollectionDate(lines, order);
  const dateReported =
    findHeaderDate(lines, 'reported', order) ??
    findLetterDate(lines, order) ??
    findReleaseDate(atEnd, order) ??
    findHeaderDate(lines, 'printed', order);
  const patient = findPatient(lines, language);
  const age = readLabeledAge(lines);
  const birth = findPatientBirth(lines, { patient, order, when: dateCollected ?? dateReported, age });
  return {
    patientFirstName: patient?.first ?? null,
    patientLastName: patient?.last ?? null,
    dob: birth?.dob ?? null,
    ageYears: age ?? calculateAge(birth?.dob ?? null, dateCollected ?? dateReported),
    gender: detectGender({ lines, patient, birth, language }),
    labName: readLabName(page, {
      lines,
      atEnd,
      patient: [patient?.first, patient?.last].flatMap((name) => name ?? []),
    }),
    dateReported,
    dateCollected,
    specimenNumber: findSpecimenNumber(lines),
  };
}

/** "Results released 10/14/2025" at the end of the last page, if the header does not say it. */
function findReleaseDate(lines: readonly HeaderLine[], order: HeaderDayOrder): string | null {
  const strong = lines.map((line) => ({ ...line, spots: line.spots.filter(({ label }) => !label.isWeak) }));
  return findHeaderDate(strong, 'reported', order);
}

/** The first page, or the second if the first has no patient data, as cover pages do. */
function findHeaderPage(pages: readonly ReportPage[]): { page: ReportPage | undefined; lines: HeaderLine[] } {
  const [first, second] = pages;
  const lines = first ? readHeaderLines(groupIntoRows(first.words)) : [];
  if (
    !second ||
    lines.some(({ spots }) =>
      spots.some(({ label }) => label.fields.some((field) => HEADER_FIELDS.has(field))),
    )
  )
    return { page: first, lines };
  return { page: second, lines: readHeaderLines(groupIntoRows(second.words)) };
}

const HEADER_FIELDS: ReadonlySet<string> = new Set([
  'fullName',
  'name',
  'lastName',
  'dob',
  'age',
  'sex',
  'collected',
]);

function findSpecimenNumber(lines: readonly HeaderLine[]): string | null {
  for (const line of lines) {
    for (const spot of line.spots) {
      if (!spot.label.fields.includes('specimen')) continue;
      for (const { text } of findLabelValues(lines, spot)) {
        const number = readSpecimenNumber(text);
        if (number !== null) return number;
      }
    }
  }
  return null;
}

const readSpecimenNumber = (text: string): string | null => {
  const word = text.split(/\s+/).find((one) => /\d{3,}/.test(one) && !/^\d{1,2}[./-]\d/.test(one));
  return word?.replace(/^[#:]+|[,;]$/g, '') ?? null;
};
