import {
  KNOWN_LABORATORY,
  LEGAL_FORM,
  hasInstitutionWord,
  isLaboratory,
  isKnownLaboratory,
} from '../lexicon/lab-names.ts';
import { isAcademicTitle } from '../lexicon/persons.ts';
import { normalizeText, normalizeWords } from '../text-normalization.ts';
import { isGenericInstitution } from './two-line-names.ts';

/** Whether a line of a letterhead is something else than a name: a barcode, an address, a physician, a page title. */
export const isNonLabName = (text: string): boolean =>
  isCode(text) ||
  isKindOfLab(text) ||
  isContact(text) ||
  isAddress(text) ||
  isPhysician(text) ||
  isPageTitle(text);

/** "Laboratory", "Clinical Lab", "Labor" and "Klinische Chemie" say what it is, not which one. */
const isKindOfLab = (text: string): boolean =>
  /^(?:(?:the|clinical|medical|diagnostic|central|hospital|pathology|medizinisches?|klinische?s?|clinic[oa]s?|medic[oa]s?|laboratory|lab) ?)*(?:labs?|laborator(?:y|ies|ium)|labor|laboratorios?|laboratoires?|chemistry|chemie|biochemistry|chimie|quimica|haematology|hematology|microbiology)(?: (?:clinic[oa]s?|medic[oa]s?|medicale?|central|bioquimic[oa]s?))*$/.test(
    normalizeWords(text),
  );

/** More digits than a name has. */
const NUMBER_DIGITS_MIN = 6;

/** Barcodes, also spaced and as recognized by OCR, and accession numbers. */
function isCode(text: string): boolean {
  const words = text.split(/\s+/);
  const digits = text.replace(/\D/g, '').length;
  const isSpaced = words.length > 3 && digits > 0 && words.every((word) => word.length === 1);
  const isNumbered = words.length === 1 && digits > 2;
  const isOfBars = text.length > 4 && /^[\s|!Il1¦/\\-]+$/.test(text) && !/^\p{Lu}\p{Ll}{2}/u.test(text);
  const isUnspoken = words.length < 3 && digits > 3 && !/\p{Ll}{3}/u.test(text);
  return isSpaced || isNumbered || isOfBars || isUnspoken || digits >= NUMBER_DIGITS_MIN;
}

/** An address in the web. */
const isContact = (text: string): boolean =>
  /^\S+\.\p{Ll}{2,}(?:\/\S*)?$/u.test(text) ||
  /\b[\p{Ll}\d-]{2,}\.(?:com|org|net|info|eu|de|fr|es|it|pt|br|uk|ch|at|nl|be|in)\b/u.test(text);

/** Words of streets, in lower case without accents. */
const STREET_BEFORE =
  /^(?:via|viale|piazza|piazzale|calle|c\/|avenida|avda\.?|paseo|rue|rua|praca|travessa|alameda|rodovia|ul\.|ulica|(?:avenue|boulevard|place|chemin|quai|impasse|route|corso|largo) (?:d|l|dell?|la|le)['’a-z]*)\s?\S/;
const STREET_AFTER =
  /\b(?:street|st\.?|road|rd\.?|avenue|ave\.?|drive|lane|ln\.?|boulevard|blvd\.?|court|parkway|pkwy\.?|highway|hwy\.?)(?:$|,| (?:suite|ste|floor|unit|building|bldg|[nesw]{1,2}\b|#))/;
const STREET_WITH_NUMBER =
  /(?:strasse|straße|str\.?|allee|weg|platz|gasse|ring|damm|ufer|chaussee|straat|laan|plein|vej|gatan|vagen)\s?\d{1,4}\s?[a-z]?(?:$|,)/;
const OTHER_ADDRESS =
  /\bp\.?\s?o\.? box\b|\bpostfach\b|\bapartado\b|\bcaixa postal\b|\b(?:suite|ste|floor|plot no|sector|shop no)\.? [\d#]|\b\d+(?:st|nd|rd|th) floor\b|\bs\/n\b/;
/** British and Canadian postal codes; others have more digits. */
const POSTAL_CODE = /\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}$|\b[A-Z]\d[A-Z] \d[A-Z]\d$/;

/** A street or a postal code, without the name of a laboratory before it. */
export function isAddress(text: string): boolean {
  const simple = normalizeText(text);
  const [first = ''] = simple.split(',');
  if (STREET_WITH_NUMBER.test(simple) || STREET_BEFORE.test(simple)) return !isLaboratory(first);
  const isPlace = STREET_AFTER.test(simple) || OTHER_ADDRESS.test(simple) || POSTAL_CODE.test(text);
  return isPlace && !(isLaboratory(first) && simple.includes(','));
}

const DEGREE =
  /[\s,](?:m\.?d\.?|d\.?o\.?|ph\.?\s?d\.?|mbbs|mbchb|frcpath|fcap|dnb|m\.?sc\.?|b\.?sc\.?|mlt|mls|mt ?\(ascp\))$/;

/** A physician or scientist, whose name is not that of a laboratory: "Dr. Winter & Partner" is one. */
function isPhysician(text: string): boolean {
  const simple = normalizeText(text);
  const isTitled = isAcademicTitle(text.split(/\s+/)[0] ?? '') || DEGREE.test(simple);
  const isHouse =
    hasInstitutionWord(text) ||
    isKnownLaboratory(text) ||
    /&|\+|\b(?:und|and|y|et|e|partners?|kolleg\w*|associates|asociados)\b/.test(simple);
  return isTitled && !isHouse;
}

/** "Exames laboratoriais", "Análisis Clínicos", "Clinical Laboratory Investigation", "Vorläufiger Endbefund". */
function isPageTitle(text: string): boolean {
  const simple = normalizeText(text);
  if (
    /^(?:exam(?:es|ens|enes|e|en)|esami|untersuchung\w*|cumulative|interim|endgultig\w*|vorlaufig\w*)\b/.test(
      simple,
    )
  )
    return true;
  if (/\w+(?:befund|bericht)\w*|\binvestigations?$|\b(?:lab|laboratory|blood|medical) tests?$/.test(simple))
    return true;
  const isOfAnalyses = /^(?:analyses?|analisis|analises|analisi)\b/.test(simple);
  return isOfAnalyses && isGenericInstitution(text) && !LEGAL_FORM.test(text);
}

/** "Performed by: Anna Winter": after "by" only the name of an institution is that of a laboratory. */
export const isLabOfLabel = (label: string, name: string): boolean => {
  if (isAddress(name) || isCode(name) || isKindOfLab(name) || isContact(name)) return false;
  if (!/\bby:?$/i.test(label)) return !isPhysician(name);
  return KNOWN_LABORATORY.test(normalizeText(name)) || (hasInstitutionWord(name) && !startsWithTitle(name));
};

const startsWithTitle = (name: string): boolean => isAcademicTitle(name.split(/\s+/)[0] ?? '');
