import { type DayOrder, isoDate, orderShownBy, readDate } from './dates.ts';
import { type HeadPair, headPairs } from './head-pairs.ts';
import { namesAnalyte } from './lexicon/analytes.ts';
import type { HeadField } from './lexicon/head-fields.ts';
import { labNameOf } from './lab-name.ts';
import { bare, plain } from './plain.ts';
import { type Row, rowsOf, textOf } from './rows.ts';
import type { Gender, Language, Page, ReadMetadata } from './word.ts';

/** What the head of a report says of patient, sample and laboratory. Never guesses: what is not printed is null. */
export function metadataOf(pages: readonly Page[], language: Language | null): ReadMetadata {
  const [first] = pages;
  const rows = first ? rowsOf(first.words) : [];
  const pairs = headPairs(rows);
  const order = dayOrder(pages, language);
  const date = (field: HeadField) => firstOf(pairs, field, (text) => dateIn(text, order));
  const dob = firstOf(pairs, 'dob', (text) => dateIn(text, order)?.slice(0, 10) ?? null);
  const dateCollected = date('collected');
  const name = patientName(pairs, rows);
  return {
    ...name,
    dob,
    ageYears:
      firstOf(pairs, 'age', ageIn) ??
      firstOf(pairs, 'ageSex', ageIn) ??
      ageAt(dob, dateCollected ?? date('reported')),
    gender:
      firstOf(pairs, 'sex', genderIn) ??
      firstOf(pairs, 'ageSex', genderIn) ??
      titleGender(rows, name) ??
      'other',
    labName: labNameOf(first, rows) ?? firstOf(pairs, 'lab', (text) => text),
    dateReported: date('reported'),
    dateCollected,
    specimenNumber: firstOf(pairs, 'specimen', numberIn),
  };
}

function firstOf<Found>(
  pairs: readonly HeadPair[],
  field: HeadField,
  read: (text: string) => Found | null,
): Found | null {
  for (const pair of pairs) {
    const found = pair.field === field ? read(pair.text) : null;
    if (found !== null) return found;
  }
  return null;
}

/** Printed dates tell; where all could be both, dots and every language but English mean the day first. */
function dayOrder(pages: readonly Page[], language: Language | null): DayOrder {
  const texts = pages.flatMap((page) => page.words.map((word) => word.text));
  const shown = orderShownBy(texts);
  if (shown) return shown;
  if (language !== null && language !== 'en') return 'dmy';
  const isElsewhere = /\b(?:nhs|haemoglobin|uhid|pvt|nabl|haematology|gp practice|serum urea)\b/i.test(
    texts.join(' '),
  );
  return isElsewhere ? 'dmy' : 'mdy';
}

function dateIn(text: string, order: DayOrder): string | null {
  const found = readDate(text, order);
  if (!found) return null;
  const bareTime = /^\s*(?:\/\s*)?([01]\d|2[0-3])([0-5]\d)\b/.exec(found.rest);
  const time = found.time ?? (bareTime ? `${bareTime[1]}:${bareTime[2]}` : null);
  return time ? `${isoDate(found.date)}T${time}` : isoDate(found.date);
}

/** The months of "46 Y 3 M 11 D"; "58 M" says the sex. */
const MONTHS = /(\d+\s?[yaj]\p{L}*\s)\d+\s?m\p{L}*/gu;

function genderIn(text: string): Gender | null {
  const words = bare(text).replace(MONTHS, '$1').split(' ');
  for (const word of words) {
    if (
      /^(?:f|female|femenino|feminin|feminino|weiblich|w|femmina|femminile|mujer|mulher|femme|frau|donna)$/.test(
        word,
      )
    )
      return 'female';
    if (
      /^(?:m|male|masculino|masculin|mannlich|maschio|maschile|hombre|homem|homme|mann|varon|uomo|h)$/.test(
        word,
      )
    )
      return 'male';
  }
  return null;
}

function ageIn(text: string): number | null {
  const [, number, unit = ''] = /(\d{1,3})\s*(?:\.\d+)?\s*(\p{L}*)/u.exec(text) ?? [];
  if (!number || Number(number) > 125) return null;
  return /^(?:mo|me|mes|mois|mon|d|t|j(?:ours)?$|w|day|giorni)/i.test(unit) && !/^(?:y|a)/i.test(unit)
    ? 0
    : Number(number);
}

function ageAt(dob: string | null, when: string | null): number | null {
  if (!dob || !when) return null;
  const years = Number(when.slice(0, 4)) - Number(dob.slice(0, 4));
  const age = when.slice(5, 10) < dob.slice(5, 10) ? years - 1 : years;
  return age >= 0 && age < 126 ? age : null;
}

const numberIn = (text: string): string | null => {
  const word = text.split(/\s+/).find((one) => /\d{3,}/.test(one) && !/^\d{1,2}[./-]\d/.test(one));
  return word?.replace(/^[#:]+|[,;]$/g, '') ?? null;
};

const TITLE =
  /^(?:mr|mrs|ms|miss|mx|master|baby|dr|herr|frau|fr|hr|sr|sra|srta|sig|sig ra|dott|m|mme|mlle|monsieur|madame|mademoiselle|don|dona|d|da|smt|shri|kumari|senor|senora)\.?$/i;
const PERSON = /^[\p{Lu}][\p{L}'’.-]*$/u;

interface Name {
  readonly patientFirstName: string | null;
  readonly patientLastName: string | null;
}

function patientName(pairs: readonly HeadPair[], rows: readonly Row[]): Name {
  const last = firstOf(pairs, 'lastName', person);
  const first = firstOf(pairs, 'firstName', person);
  if (last) return { patientFirstName: first, patientLastName: last };
  const whole = firstOf(pairs, 'fullName', person) ?? first ?? unlabelled(rows);
  return whole
    ? splitName(whole, isFamilyFirst(pairs, rows))
    : { patientFirstName: null, patientLastName: null };
}

/** Names and nothing but names; a label that was taken for one is none. */
function person(text: string): string | null {
  const clean = text
    .replace(/\s*[([].*$/, '')
    .replace(/[,;:]+$/, '')
    .trim();
  const words = clean.split(/[\s,]+/).filter((word) => !TITLE.test(word));
  const isName =
    words.length > 0 &&
    words.length < 7 &&
    words.every(
      (word) => PERSON.test(word) || /^(?:de|del|da|do|dos|di|von|van|der|la|le|y|e|bin|al)$/i.test(word),
    );
  return isName && words.join('').length > 2 ? clean : null;
}

function splitName(text: string, familyFirst: boolean): Name {
  if (text.includes(',')) {
    const [last = '', first = ''] = text.split(',').map((part) => part.trim());
    return { patientFirstName: withoutTitle(first) || null, patientLastName: withoutTitle(last) || null };
  }
  const words = withoutTitle(text).split(/\s+/);
  if (words.length === 1) return { patientFirstName: null, patientLastName: words[0] ?? null };
  const loud = words.filter((word) => word === word.toUpperCase() && word.length > 1);
  if (loud.length > 0 && loud.length < words.length) {
    return {
      patientFirstName: words.filter((word) => !loud.includes(word)).join(' '),
      patientLastName: loud.join(' '),
    };
  }
  const ordered = familyFirst ? [...words.slice(1), words[0] ?? ''] : words;
  return { patientFirstName: ordered.slice(0, -1).join(' '), patientLastName: ordered.at(-1) ?? null };
}

const withoutTitle = (text: string): string =>
  text
    .split(/\s+/)
    .filter((word) => !TITLE.test(word))
    .join(' ');

/** Some countries print the family name first, and say so in the label. */
function isFamilyFirst(pairs: readonly HeadPair[], rows: readonly Row[]): boolean {
  const head = plain(
    rows
      .slice(0, 15)
      .map((row) => textOf(row.words))
      .join(' '),
  );
  return (
    /name,? vorname|cognome e nome|nom,? (?:et )?prenom|apellidos y nombre|nachname/.test(head) &&
    pairs.some(({ field }) => field === 'fullName')
  );
}

/** Without a label: "FAMILY, GIVEN" by itself, or what follows Mr and Mrs, in the head. */
function unlabelled(rows: readonly Row[]): string | null {
  for (const { segments } of rows.slice(0, 14)) {
    for (const segment of segments) {
      const text = textOf(segment.words);
      if (/^\p{Lu}[\p{L}'’-]+,\s?\p{Lu}[\p{L}'’-]+(?:\s\p{Lu}\p{L}*\.?)?$/u.test(text) && !namesAnalyte(text))
        return text;
      if (
        TITLE.test(segment.words[0]?.text ?? '') &&
        !/^dr/i.test(text) &&
        segment.words.length > 2 &&
        person(text)
      )
        return text;
    }
  }
  return null;
}

/** The title of the patient; physicians have some, too. */
function titleGender(rows: readonly Row[], { patientFirstName, patientLastName }: Name): Gender | null {
  const names = [patientFirstName, patientLastName].flatMap((name) => name ?? []);
  for (const row of rows.slice(0, 14)) {
    for (const [, title = '', person = ''] of textOf(row.words).matchAll(TITLED)) {
      if (names.some((name) => person.includes(name))) return FEMALE.test(title) ? 'female' : 'male';
    }
  }
  return null;
}

const FEMALE = /^(?:Mrs|Ms|Miss|Frau|Sra|Srta|Madame|Mme|Mlle|Sig\.ra|Smt)$/i;
const TITLED =
  /\b(Mrs|Ms|Miss|Frau|Sra|Srta|Madame|Mme|Mlle|Sig\.ra|Smt|Mr|Herr|Monsieur)\b\.?((?:\s+\S+){1,4})/gi;
