import type { Atom } from './atoms.ts';
import { textOfAtoms } from './drafts.ts';
import { roleOfHeading } from './lexicon/headers.ts';
import { isLearnedTitle } from './lexicon/persons.ts';
import { beginsNote } from './notes.ts';
import type { ParsedRow } from './regions.ts';
import { textOf } from './rows.ts';
import { sampleTypeOf } from './specimen.ts';

/** "EMIS Number" and "Date Created and Stored" say which report or which day, where the value is a bare number. */
const OF_FILE =
  /\b(?:number|nummer|n[úu]mero|num[ée]ro)$|^(?:date|fecha|datum|data)\b|^(?:generated|printed|created|stored|generado|impreso|gedruckt|imprim[ée])\b/iu;

/** "A serum folate concentration of", "For someone without known diabetes, a glucose value": a sentence is cut off here. */
const OF_SENTENCE =
  /\s(?:of|is|are|than|was|were|and|or)$|^(?:for|if|when|in|a|an|the)\s(?:someone|patients?|adults?|persons?|people|value|level|result|serum|plasma)\b/iu;

/** "INR target range on warfarin" is what is aimed at. */
const OF_AIM =
  /\btarget (?:range|value|level|inr)s?\b|^(?:ziel(?:wert|bereich)?e?|therapieziel|target|goal|objectif|obiettivo|objetivo|meta|alvo)\s\S/iu;

/** "31 Units or greater" is a line of a legend. */
const OF_LEGEND = /^\d[\d.,]*(?:\s?[-–]\s?\d[\d.,]*)?\s+units?\b/iu;

/** "Your ref: 44190" */
const OF_SOMEBODY =
  /^(?:your|our|ihre?|unsere?|votre|notre|vuestr[oa]|nuestr[oa]|su|vostr[oa]|nostr[oa]|suo)$/iu;

/** Who runs the laboratory, in which street, and who has seen to it that it works well. */
const OF_HOUSE =
  /\b(?:pty|ltd|gmbh|llc|ltda|s\.?r\.?l|road|street|avenue|boulevard|quai|chauss[ée]e|piazza|viale|avenida|plaza|\p{L}*platz|\p{L}+gasse)\b|\b(?:accredit|acredita|akkreditier|accr[ée]dit)\p{L}*/iu;

/** "S: susceptible I: susceptible with increased exposure R: resistant" */
const LETTERS = /(?:^|\s)[SIRHLNA]\s?[:=]\s?\p{L}{3}/gu;
/** "0: < 0.35; 1: 0.35 - 0.69; 2: ..." */
const CLASSES = /(?:^|\s)\d{1,2}\s?[:=](?=\s)/gu;
/** "(Lab no. B,25.0817734.7)": which sample it was. */
const OF_SAMPLE =
  /^\(?(?:lab(?:oratory|or|oratorio|oratoire)?|sample|specimen|accession|probe|muestra|campione|amostra|[ée]chantillon)\.?(?:\s|-)?(?:no|nr|num(?:ber|mer)?|n[úu]m(?:ero)?|id|ref)?\.?\s?[:#º°]?\s?\p{Lu}{0,3}[,.\d][\d.,/-]{4,}\)?$/iu;
const PAGE = /\b(?:page|seite|p[aá]g(?:ina|\.)|blatt)\s?\d/iu;

interface Claimed {
  readonly name: string;
  readonly value: Atom;
  /** Whether a unit, a range or a flag stands beside the value. */
  readonly hasCompany: boolean;
  readonly parsed: ParsedRow;
}

/** How much speaks against a result because of a name that no result has, or a value that is a material. */
export function noNameEvidence({ name, value, hasCompany, parsed }: Claimed): number {
  if (OF_LEGEND.test(name) || roleOfHeading(name) === 'unit') return -4;
  if (OF_SOMEBODY.test(name) || isForeign(name)) return -6;
  if (isLegend(name, value, parsed) || OF_AIM.test(name)) return -5;
  if (isSigner(value) || (value.kind === 'text' && OF_SAMPLE.test(value.text))) return -6;
  if (beginsNote(name) || (value.kind === 'text' && roleOfHeading(value.text) === 'value')) return -5;
  const ofHouse = OF_HOUSE.test(name) || PAGE.test(textOf(parsed.row.words)) ? -3 : 0;
  if (OF_SENTENCE.test(name) || isSentence(value, parsed)) return ofHouse - 3;
  if (hasCompany) return ofHouse;
  if (OF_FILE.test(name)) return -4;
  return ofHouse + (value.kind === 'text' && sampleTypeOf([value.text]) !== null ? -3 : 0);
}

/** "Dr. A. Kamath   Dr. R. Thiagarajan": of those who sign a second one is no result of the first. */
const isSigner = ({ kind, words }: Atom): boolean =>
  kind === 'text' &&
  words.length > 1 &&
  isLearnedTitle(words[0]?.text ?? '') &&
  /^\p{Lu}/u.test(words[1]?.text ?? '');

/** Whether a name has no letter of an alphabet that we read. */
const isForeign = (name: string): boolean =>
  /\p{L}/u.test(name) && !/[\p{Script=Latin}\p{Script=Greek}µ]/u.test(name);

/** What letters or classes mean: of letters in the name and what follows it, of classes in one run of words. */
function isLegend(name: string, value: Atom, { row, atoms }: ParsedRow): boolean {
  const isOneRun = atoms.every(({ segment }) => segment === atoms[0]?.segment);
  const text = isOneRun ? textOf(row.words) : `${name}: ${value.text}`;
  if ((text.match(LETTERS)?.length ?? 0) > 1) return true;
  return isOneRun && (text.match(CLASSES)?.length ?? 0) > 2;
}

/** "Film: microcytic hypochromic red cells, pencil cells present.": words from end to end, with a stop behind them. */
function isSentence({ kind, said }: Atom, { row, atoms, parts }: ParsedRow): boolean {
  // "Hepatitis B surface antigen negative." has nothing but its finding.
  const isFinding = kind === 'quality' && parts.value.length === 1 && parts.value[0] === atoms.at(-1);
  const isInWords = (kind === 'text' || kind === 'quality') && said === undefined && !isFinding;
  const isOneRun = atoms.every(({ segment }) => segment === atoms[0]?.segment);
  const name = textOfAtoms(parts.name);
  return (
    isInWords &&
    isOneRun &&
    row.words.length > 5 &&
    !name.endsWith(':') &&
    /\p{L}{3}\.$/u.test(textOf(row.words))
  );
}
