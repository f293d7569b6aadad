import { normalizeText } from './text-normalization.ts';

/** The sample types of the API. */
type SpecimenType = 'urine' | 'serum_plasma_blood' | 'capillary_blood' | 'stool' | 'saliva' | 'other';

// prettier-ignore
const WORDS: readonly (readonly [SpecimenType, RegExp])[] = [
  ['capillary_blood',    /\b(?:capillary|capilar|kapillar\w*|capillaire|capillare|dried blood spot|dbs)\b/],
  ['urine',              /\b(?:urine?|urinary|urinalysis|urin|urina|orina|urinario|urinaire|urinaria|uroanal\w*|urinstatus|harn|harnstatus|spontanurin|sammelurin|ecbu|ego|urianalisis|urinanalysis|urinal\w*)\b/],
  ['stool',              /\b(?:stool|feces|faeces|fecal|faecal|stuhl|selles|feci|heces|fezes|coprolog\w*|coproparas\w*)\b/],
  ['saliva',             /\b(?:saliva|salivary|speichel|salive|salivar)\b/],
  ['other',              /\b(?:csf|cerebrospinal|liquor|liquido cefalo\w*|semen|seminal|sperm\w*|swab|hisopado|abstrich|tampone|synovial|pleural|sputum|ascit\w*|hair|haar|espermograma)\b/],
  ['serum_plasma_blood', /\b(?:serum|plasma|blood|blut|sang|sangue|sangre|suero|siero|soro|serique|plasmatique|sanguin\w*|ematic\w*|hamatolog\w*|hematolog\w*|haematolog\w*|emocromo|hemogram\w*|blutbild|vollblut|edta|hemograma|cbc|complete blood|hemato\w*|coagul\w*)\b/],
];

/** The first text that names a sample decides: the name, then the hint, panel and section. */
export function detectSpecimenType(texts: readonly (string | null)[]): SpecimenType | null {
  for (const text of texts) {
    if (text === null) continue;
    const simple = normalizeText(text);
    const found = WORDS.find(([, words]) => words.test(simple));
    if (found && !/\bred blood|white blood|blood (?:cell|urea|group|sugar)|\bhematies/.test(simple))
      return found[0];
  }
  return null;
}
