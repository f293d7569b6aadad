/** The reasons why a result is missing, as the API contract names them. */
// prettier-ignore
export const FAILURE_TYPES = [
  'quantity_not_sufficient_failure', 'collection_process_failure', 'drop_off_failure', 'internal_lab_failure', 'order_entry_failure',
  'non_failure', 'unknown_failure', 'patient_condition_failure', 'missing_result_calc_failure', 'missing_demo_aoe_calc_failure',
  'insufficient_volume',
] as const;
type FailureType = (typeof FAILURE_TYPES)[number];

/** What laboratories write, most specific first: `TNP, specimen hemolyzed` is about the specimen. */
// prettier-ignore
const CAUSES: readonly [RegExp, FailureType][] = [
  [/\b(?:aoe|ask at order entry)\b.*\b(?:missing|not (?:provided|received|given|answered)|incomplete|required)|\b(?:missing|no|incomplete) (?:aoe|ask at order entry)\b/i, 'missing_demo_aoe_calc_failure'],
  [/\b(?:age|sex|gender|race|dob|date of birth|height|weight|gestational age|demographics?|maternal [a-z ]+|lmp)\b[^.;]{0,40}\b(?:not (?:provided|received|given|available|supplied|stated)|missing|required|unknown|needed)/i, 'missing_demo_aoe_calc_failure'],
  [/\b(?:unable|cannot|can ?not|could not|not able) to (?:be )?(?:calculate|compute|report calc)|\b(?:can ?not|could not|not|unable to) be (?:calculated|computed)\b|\bcalculation (?:not|cannot|could not|invalid|error)|\bnot calculated\b|\bunable to calc\b|\binvalid calculation\b/i, 'missing_result_calc_failure'],

  [/\b(?:insufficient|inadequate|low|short|not enough|limited) (?:\w+ )?(?:volume|vol)\b|\bvolume (?:\w+ )?(?:insufficient|too low|inadequate|not sufficient|low)\b|\bunder-?fill(?:ed)?\b|\bshort (?:draw|sample|fill)\b|\bpartially filled\b/i, 'insufficient_volume'],
  [/\bQNS\b|\bq\.n\.s\b|\b(?:quantity|qty|amount|specimen|sample|blood|serum|plasma|urine|material|cells|dna)\b[^.;]{0,25}\b(?:not sufficient|insufficient|inadequate|not adequate)\b|\binsufficient (?:quantity|specimen|sample|amount|blood|serum|plasma|urine|material|dna)\b|\bnot (?:enough|sufficient) (?:specimen|sample|quantity|blood|serum|plasma|urine|material)\b|\bquantity not suff|\bexhausted\b/i, 'quantity_not_sufficient_failure'],

  [/\b(?:not |non-?)fasting\b|\bfasting (?:specimen|sample|state)? ?required\b|\bpatient (?:not prepared|did not fast|refused|unable|condition|medication|on (?:biotin|heparin|anticoag))|\bbiotin\b|\blipemi[ca]|\bicteri[ca]|\bicterus\b|\blipaemic\b|\bhigh (?:bilirubin|triglycerides?|lipids?)\b|\binterfering (?:substance|antibod|drug|medication)|\bheterophil|\bparaprotein|\bcold agglutinin/i, 'patient_condition_failure'],

  [/\b(?:lost|damaged|delayed|broken|leaked|leaking|leakage|spilled)\b[^.;]{0,30}\b(?:transit|transport|shipping|shipment|courier)|\b(?:in transit|in transport|transit time|courier|shipping delay|shipment)\b|\bstability (?:has )?(?:exceeded|expired)|\b(?:exceed(?:s|ed|ing)?|beyond|outside|past|out of)\b[^.;]{0,30}\bstabilit|\b(?:specimen|sample) (?:is |was )?too old\b|\bold (?:specimen|sample)\b|\bspecimen (?:expired|stability|received (?:thawed|warm|frozen|ambient|refrigerated|late|past))|\b(?:received|arrived)\b[^.;]{0,25}\b(?:thawed|too late|room temperature|warm|ambient|at wrong temperature|at incorrect temperature|not frozen|unfrozen|past)\b|\b(?:temperature|temp)\b[^.;]{0,25}\b(?:incorrect|unacceptable|excursion|improper|exceeded|out of range|not maintained|requirement)|\b(?:improper|incorrect|wrong|unacceptable) (?:\w+ )?temperature\b|\bthawed\b|\bleak(?:ed|ing|age)?\b/i, 'drop_off_failure'],

  [/\bh(?:a?e)?moly[sz](?:ed|is|ing)\b|\bhaemoly[sz]|\bclotted\b|\bclots?\b|\bmicro-?clot|\bfibrin\b|\bcoagulated\b|\b(?:wrong|incorrect|improper|inappropriate|invalid|unacceptable|unsuitable|unsatisfactory) (?:\w+ )?(?:tube|container|specimen|sample|collection|preservative|anticoagulant|swab|transport (?:media|medium|device)|media|medium|type|device|source)|\bcontaminat|\bexpired (?:tube|collection|kit|swab|container|device|transport)|\b(?:tube|kit|container|swab|device) (?:is |was |has )?expired\b|\bdiluted\b|\biv (?:fluid )?contamin|\bunlabell?ed\b|\bmislabell?ed\b|\b(?:no|missing|incomplete|insufficient) (?:patient )?(?:label|identif(?:ier|ication)s?)\b|\blabel(?:ing|ling)? (?:error|mismatch|discrepan)|\bimproper(?:ly)? (?:collected|labeled|labelled|handled|prepared|stored|filled)|\bnot (?:collected|centrifuged|spun|separated|labell?ed)\b|\bno (?:\w+ )?(?:specimen|sample|swab|tube|serum|urine)s?(?: \w+)? (?:received|submitted|collected|provided)\b|\b(?:specimen|sample|swab|tube)s?(?: \w+)? (?:was |were )?not (?:received|collected|submitted|provided)\b|\bcollection (?:error|time|date|failure|problem|issue|not)\b|\boverfilled\b|\btube type\b|\bcollected incorrectly\b|\bpoor quality (?:specimen|sample)\b|\bspecimen (?:rejected|unacceptable|unsuitable|unsatisfactory|integrity|compromised|not acceptable)\b|\bnot protected from light\b|\bseparated from cells\b|\bprolonged contact\b/i, 'collection_process_failure'],

  [/\b(?:ordered|order(?:ing)? (?:entry|placed|was)?) ?(?:in )?error\b|\bduplicate (?:order|test|request|specimen)|\bincorrect (?:order|test (?:code|ordered|requested))|\bwrong (?:test|order)(?: code| ordered)?\b|\btest (?:code )?(?:not (?:offered|available|orderable|found|on file)|discontinued|inactive|invalid|obsolete)|\bdiscontinued\b|\binvalid (?:test|order|account|code)|\border(?:ing)? (?:entry|error)\b|\bno (?:order|requisition|test (?:ordered|indicated|requested))\b|\brequisition\b[^.;]{0,30}\b(?:missing|incomplete|not (?:received|signed|provided))|\bregistration error\b|\bmissing (?:order|requisition|diagnosis|icd)|\bunregistered\b/i, 'order_entry_failure'],

  [/\b(?:lab(?:oratory)?|technical|analyt?z?[ei](?:cal|r)|instrument|equipment|assay|reagent|processing|system|qc|quality control|testing|machine) ?(?:\w+ )?(?:accident|error|failure|failed|malfunction|issue|problem|difficult(?:y|ies)|down|unavailable|mishap)|\blab(?:oratory)? (?:accident|error)\b|\breagent (?:shortage|unavailable|backorder)|\b(?:lost|misplaced|broken|spilled|dropped)\b[^.;]{0,25}\b(?:in|at|by|during|within) (?:the )?(?:lab|testing|processing)|\b(?:specimen|sample) (?:was )?(?:lost|misplaced|destroyed|broken|spilled)\b|\bno result(?:s)? (?:obtained|available)? ?due to\b|\b(?:repeat(?:ed)?ly|assay) (?:failed|invalid)\b|\binvalid (?:result|assay|run)\b|\bfailed (?:qc|amplification|quality|to amplify)|\bunable to (?:obtain|report|perform|determine|isolate|amplify|resolve)\b|\binterference\b/i, 'internal_lab_failure'],

  [/\b(?:not (?:indicated|required|needed|necessary|applicable|reflexed|performed[^.;]{0,10}reflex)|reflex (?:criteria )?not (?:met|indicated|performed)|criteria (?:were |was )?not met|does not meet|confirmation not|no further (?:testing|workup))\b|\bcancel+ed (?:by|per|at)\b[^.;]{0,25}\b(?:client|physician|provider|patient|doctor|clinic|practice|request)|\b(?:client|physician|provider|patient|doctor)(?:'s)? (?:request(?:ed)?|cancel+ed|cancel+ation)\b|\bper (?:client|physician|provider|doctor)\b|\breplaced by\b|\bsee (?:separate|other|updated) report\b|\bcredited\b/i, 'non_failure'],
];

/** Texts that, alone in the place of a result, mean that there is no result. */
// prettier-ignore
const NOT_PERFORMED_TEXTS = new Set([
  'qns', 'tnp', 'dnr', 'dnp', 'tnr', 'nsq', 'q.n.s', 'canc', 'cancel', 'canceled', 'cancelled', 'cancellation', 'not done', 'not tested', 'not reported',
  'not resulted', 'not performed', 'rejected', 'no result', 'void', 'voided', 'deleted', 'invalid', 'error', 'failed', 'clotted', 'hemolyzed', 'haemolysed',
  'hemolysed', 'insufficient', 'unsatisfactory', 'refused', 'not available', 'unable to calculate', 'not calculated', 'test not performed', 'no specimen',
  'lipemic', 'icteric', 'contaminated', 'leaked', 'wrong tube', 'lab accident', 'quantity not sufficient', 'insufficient volume', 'stability exceeded',
  'patient not fasting',
]);

/** The subject of such a remark. */
const SUBJECT = String.raw`^(?:the )?(?:test|testing|assay|analysis|procedure|result|specimen|sample|quantity|calculation|order)s?\b[^.;]{0,40}\b`;
const UNUSABLE =
  '(?:cancel+ed|rejected|deleted|voided|insufficient|ha?emoly[sz]ed|clotted|lipemic|icteric|unacceptable|unsuitable|unavailable|lost|leaked|too old|expired|contaminated|invalid|exceeded|mislabell?ed|unlabell?ed)';
/**
 * Work that was not or could not be done. A test that was done and found nothing is a result: `Specimen not reactive`,
 * `Result: Not Detected`, `Testing did not show a mutation`.
 */
const NOT_DONE = String.raw`(?:not|cannot|never) (?:yet )?(?:be |been )?(?:able|accept|adequate|anal|appropriate|availab|calculat|centrifug|collect|complet|comput|determin|done|drawn|enough|evaluat|frozen|indicated|interpret|label|measur|obtain|offered|perform|possib|process|provid|receiv|refrigerat|releas|report|requir|resulted|run\b|sent\b|separat|spun|stable|submit|sufficient|suitab|tested|usable|valid|viable)`;

/** The beginnings of remarks in the place of a result. */
// prettier-ignore
const NOT_PERFORMED_BEGINNINGS: readonly RegExp[] = [
  /^(?:qns|tnp|dnr|dnp|q\.n\.s\.?)\b/i,
  /^cancel+(?:ed|ation)\b/i,
  new RegExp(String.raw`${SUBJECT}(?:${UNUSABLE}\b|${NOT_DONE})`, 'i'),
  /^not (?:performed|done|tested|reported|resulted|calculated|sufficient|enough)\b/i,
  /^(?:unable|cannot|can not|could not) (?:to )?(?:be )?(?:perform|report|calculat|obtain|complet|test|determin|analy[sz]e|comput|process)/i,
  /^no (?:specimen|sample|swab|tube|result)s?\b/i,
  /^(?:grossly |moderately |severely )?(?:hemoly[sz]ed|haemoly[sz]ed|clotted|lipemic|icteric|contaminated)\b/i,
  /^(?:unsatisfactory|unacceptable|wrong|incorrect|improper|stability|short sample|lab(?:oratory)? (?:accident|error))\b/i,
  // `insufficient immunity` and `exceeds the measuring range` are results.
  /^(?:insufficient|inadequate)\b(?! immun)/i,
  /^exceed(?:s|ed)\b(?! \d| (?:\w+ ){0,3}(?:linearity|range|detection|measurement))/i,
];

const NOT_PERFORMED_ANYWHERE =
  /\b(?:TNP|QNS)\b|\btest(?:ing)? (?:was )?not (?:performed|done)\b|\btest (?:was )?cancel+ed\b/i;

/** The cause that the text names; null where it names none. */
export const findFailureType = (text: string): FailureType | null =>
  CAUSES.find(([pattern]) => pattern.test(text))?.[1] ?? null;

/** Whether a text in the place of a result says that there is no result. */
export function isNotPerformedText(result: string): boolean {
  const bare = result
    .trim()
    .replace(/[.*!:;\s]+$/, '')
    .toLowerCase();
  return (
    NOT_PERFORMED_TEXTS.has(bare) ||
    NOT_PERFORMED_ANYWHERE.test(result) ||
    NOT_PERFORMED_BEGINNINGS.some((pattern) => pattern.test(result.trim()))
  );
}

/** The cause in the nearest text: first the result's own text and notes, then those on the report. */
export function inferFailureType(near: readonly string[], far: readonly string[]): FailureType {
  for (const texts of [near, far]) {
    const cause = findFailureType(texts.join('\n'));
    if (cause) return cause;
  }
  return 'unknown_failure';
}
