/** Qualitative answers, classified for tests whose usual answer is negative. */
// prettier-ignore
const NEGATIVE = new Set([
  'negative', 'neg', 'not detected', 'none detected', 'undetected', 'undetectable', 'target not detected', 'not present', 'absent',
  'non-reactive', 'nonreactive', 'non reactive', 'none seen', 'none', 'not seen', 'no growth', 'not isolated', 'none isolated',
  'normal', 'within normal limits', 'wnl', 'not observed', 'none observed', 'screen negative', 'not found', 'no abnormality detected',
]);
// prettier-ignore
const POSITIVE = new Set([
  'positive', 'pos', 'detected', 'present', 'reactive', 'growth', 'isolated', 'abnormal', 'seen', 'screen positive',
  'weakly positive', 'weak positive', 'strong positive', 'presumptive positive', 'weakly reactive', 'repeatedly reactive',
  'trace', '1+', '2+', '3+', '4+', '+', '++', '+++', '++++', 'small', 'moderate', 'large', 'few', 'many', 'rare', 'occasional',
]);
/** Qualitative answers that are neither negative nor positive. */
// prettier-ignore
const NEUTRAL = new Set([
  'equivocal', 'indeterminate', 'inconclusive', 'borderline', 'immune', 'not immune', 'non-immune', 'clear', 'cloudy', 'hazy', 'turbid', 'slightly cloudy',
  'yellow', 'pale yellow', 'dark yellow', 'straw', 'amber', 'colorless', 'red', 'brown', 'orange', 'yes', 'no', 'true', 'false',
  'a', 'b', 'ab', 'o', 'a positive', 'a negative', 'b positive', 'b negative', 'ab positive', 'ab negative', 'o positive', 'o negative',
  'susceptible', 'resistant', 'intermediate', 'sensitive', 'consistent', 'inconsistent', 'low', 'high', 'male', 'female', 'invalid',
  'heterozygous', 'homozygous', 'wild type', 'compound heterozygous',
]);

const answerKey = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/[.*]+$/, '');

export function isQualitative(text: string): boolean {
  const said = answerKey(text);
  return NEGATIVE.has(said) || POSITIVE.has(said) || NEUTRAL.has(said);
}

interface UsualAnswer {
  /** The usual answer as the laboratory prints it: `Negative`, `None seen or Few`. */
  readonly range: string | null;
  readonly normalText: string | null;
  readonly abnormalText: string | null;
}

/** Whether a qualitative answer is the usual one; null where that is unknown. */
export function isUsualAnswer(
  answer: string,
  { range, normalText, abnormalText }: UsualAnswer,
): boolean | null {
  const said = answerKey(answer);
  const usual = range === null ? null : answerKey(range);
  if (usual !== null && usual !== '') {
    if (said === usual || usual.split(/ or |, ?|\/| to /).includes(said)) return true;
    if (NEGATIVE.has(usual)) return polarity(said);
    // An unknown textual range, as `See below`, decides nothing; the catalog is not consulted then.
    if (POSITIVE.has(usual)) return NEGATIVE.has(said) ? false : null;
    if (!NEUTRAL.has(usual)) return null;
    return NEUTRAL.has(said) ? false : null;
  }
  if (normalText !== null && said === answerKey(normalText)) return true;
  if (abnormalText !== null && said === answerKey(abnormalText)) return false;
  return normalText !== null && NEGATIVE.has(answerKey(normalText)) ? polarity(said) : null;
}

const polarity = (said: string): boolean | null =>
  NEGATIVE.has(said) ? true : POSITIVE.has(said) ? false : null;
