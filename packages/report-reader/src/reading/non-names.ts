import type { Atom } from './atoms.ts';
import { joinAtomText } from './result-draft.ts';
import { matchColumnRole } from './lexicon/column-headings.ts';
import { isGestational, isScope } from './lexicon/range-scopes.ts';
import { isAcademicTitle } from './lexicon/persons.ts';
import { isNoteStart } from './notes.ts';
import type { ParsedRow } from './regions.ts';
import { joinWords } from './rows.ts';
import { detectSpecimenType } from './specimen.ts';

/** "EMIS Number" and "Date Created and Stored" describe the document if the value is a bare number. */
const DOCUMENT_FIELD =
  /\b(?:number|nummer|n[úu]mero|num[ée]ro)$|^(?:date|fecha|datum|data)\b|^(?:generated|printed|created|stored|generado|impreso|gedruckt|imprim[ée])\b/iu;

/** "A serum folate concentration of", "For someone without known diabetes, a glucose value": a truncated sentence. */
const SENTENCE_PART =
  /\s(?:of|is|are|than|was|were|and|or)$|^(?:for|if|when|in|a|an|the)\s(?:someone|patients?|adults?|persons?|people|value|level|result|serum|plasma)\b/iu;

/** "INR target range on warfarin" is a target. */
const TARGET_VALUE =
  /\btarget (?:range|value|level|inr)s?\b|^(?:ziel(?:wert|bereich)?e?|therapieziel|target|goal|objectif|obiettivo|objetivo|meta|alvo)\s\S/iu;

/** "31 Units or greater" is a line of a legend. */
const LEGEND_LINE = /^\d[\d.,]*(?:\s?[-–]\s?\d[\d.,]*)?\s+units?\b/iu;

/** "Your ref: 44190" */
const POSSESSIVE =
  /^(?:your|our|ihre?|unsere?|votre|notre|vuestr[oa]|nuestr[oa]|su|vostr[oa]|nostr[oa]|suo)$/iu;

/** Companies, streets and accreditations. */
const INSTITUTION =
  /\b(?:pty|ltd|gmbh|llc|ltda|s\.?r\.?l|road|street|avenue|boulevard|quai|chauss[ée]e|piazza|viale|avenida|plaza|\p{L}*platz|\p{L}+gasse)\b|\b(?:accredit|acredita|akkreditier|accr[ée]dit)\p{L}*/iu;

/** "S: susceptible I: susceptible with increased exposure R: resistant" */
const LETTERS = /(?:^|\s)[SIRHLNA]\s?[:=]\s?\p{L}{3}/gu;
/** "0: < 0.35; 1: 0.35 - 0.69; 2: ..." */
const CLASSES = /(?:^|\s)\d{1,2}\s?[:=](?=\s)/gu;
/** "(Lab no. B,25.0817734.7)": a sample number. */
const SAMPLE_NUMBER =
  /^\(?(?:lab(?:oratory|or|oratorio|oratoire)?|sample|specimen|accession|probe|muestra|campione|amostra|[ée]chantillon)\.?(?:\s|-)?(?:no|nr|num(?:ber|mer)?|n[úu]m(?:ero)?|id|ref)?\.?\s?[:#º°]?\s?\p{Lu}{0,3}[,.\d][\d.,/-]{4,}\)?$/iu;
const PAGE = /\b(?:page|seite|p[aá]g(?:ina|\.)|blatt)\s?\d/iu;

interface NameClaim {
  readonly name: string;
  readonly value: Atom;
  /** Whether the value has a unit, a range or a flag. */
  readonly hasNeighbors: boolean;
  readonly parsed: ParsedRow;
}

/** Negative score for a name that no result has, or a value that is a sample material. */
export function scoreNonName({ name, value, hasNeighbors, parsed }: NameClaim): number {
  if (LEGEND_LINE.test(name) || matchColumnRole(name) === 'unit') return -4;
  if (isWeekOfPregnancy(name, parsed)) return -6;
  if (POSSESSIVE.test(name) || isForeign(name)) return -6;
  if (isLegend(name, value, parsed) || TARGET_VALUE.test(name)) return -5;
  if (isSigner(value) || (value.kind === 'text' && SAMPLE_NUMBER.test(value.text))) return -6;
  if (isNoteStart(name) || (value.kind === 'text' && matchColumnRole(value.text) === 'value')) return -5;
  const ofHouse = INSTITUTION.test(name) || PAGE.test(joinWords(parsed.row.words)) ? -3 : 0;
  if (SENTENCE_PART.test(name) || isSentence(value, parsed)) return ofHouse - 3;
  if (hasNeighbors) return ofHouse;
  if (DOCUMENT_FIELD.test(name)) return -4;
  return ofHouse + (value.kind === 'text' && detectSpecimenType([value.text]) !== null ? -3 : 0);
}

/** "Semanas   3   5 - 72" is a row of a reference table; a gestational age has no range. */
const isWeekOfPregnancy = (name: string, { parts }: ParsedRow): boolean =>
  isGestational(name) &&
  isScope(name) &&
  (parts.range.length > 0 || parts.value.some(({ kind }) => kind === 'range'));

/** "Dr. A. Kamath   Dr. R. Thiagarajan": a second signer is not the result of the first. */
const isSigner = ({ kind, words }: Atom): boolean =>
  kind === 'text' &&
  words.length > 1 &&
  isAcademicTitle(words[0]?.text ?? '') &&
  /^\p{Lu}/u.test(words[1]?.text ?? '');

/** Whether a name has no letter of a supported alphabet. */
const isForeign = (name: string): boolean =>
  /\p{L}/u.test(name) && !/[\p{Script=Latin}\p{Script=Greek}µ]/u.test(name);

/** A legend of letters, in the name and what follows it, or of classes in one run of words. */
function isLegend(name: string, value: Atom, { row, atoms }: ParsedRow): boolean {
  const isOneRun = atoms.every(({ segment }) => segment === atoms[0]?.segment);
  const text = isOneRun ? joinWords(row.words) : `${name}: ${value.text}`;
  if ((text.match(LETTERS)?.length ?? 0) > 1) return true;
  return isOneRun && (text.match(CLASSES)?.length ?? 0) > 2;
}

/** "Film: microcytic hypochromic red cells, pencil cells present.": only words, with a period at the end. */
function isSentence({ kind, labelRole }: Atom, { row, atoms, parts }: ParsedRow): boolean {
  // "Hepatitis B surface antigen negative." has nothing but its finding.
  const isFinding = kind === 'quality' && parts.value.length === 1 && parts.value[0] === atoms.at(-1);
  const isInWords = (kind === 'text' || kind === 'quality') && labelRole === undefined && !isFinding;
  const isOneRun = atoms.every(({ segment }) => segment === atoms[0]?.segment);
  const name = joinAtomText(parts.name);
  return (
    isInWords &&
    isOneRun &&
    row.words.length > 5 &&
    !name.endsWith(':') &&
    /\p{L}{3}\.$/u.test(joinWords(row.words))
  );
}
