/** Texts in the place of a value that announce a result. `Test not performed` and the like are final, so not among them. */
const SUBJECT = String.raw`(?:(?:final|the|all|lab(?:oratory)?|culture|sensitivit(?:y|ies)) )*(?:results?|reports?|tests?|testing|analysis|assay|specimen|sample|culture|sensitivit(?:y|ies)|susceptibilit(?:y|ies))`;
const VERB = String.raw`(?:is|are|was|has been|still|currently|not yet)`;
const STATE = String.raw`(?:pend(?:ing|g)?|pdg|in (?:process|progress|lab(?:oratory)?|testing)|to follow|will follow|awaited|outstanding|being (?:processed|tested|performed)|ongoing|under way|underway|incomplete|received(?: in (?:the )?lab(?:oratory)?)?|not yet (?:available|reported|complete[d]?|ready|resulted)|sent to (?:a |the )?reference lab(?:oratory)?)`;
const ANNOUNCEMENTS: readonly RegExp[] = [
  new RegExp(String.raw`^(?:${SUBJECT}[ :,-]*)?(?:${VERB} )*${STATE}$`, 'i'),
  new RegExp(String.raw`^${STATE}[ :,-]+(?:${SUBJECT}|review|confirmation|reference lab(?:oratory)?)$`, 'i'),
  /^await(?:ing|s) (?:final )?(?:results?|testing|confirmation|specimen|sample|report)$/i,
  /^(?:send-?out|sent out|referred(?: out)?)$/i,
];

/** Texts that stand in the place of a value without being one; results where the laboratory calls them final. */
const PLACEHOLDER =
  /^(?:(?:please )?(?:see|refer to) (?:the )?(?:attached |separate |final )?(?:notes?|comments?|below|reports?|remarks?|narrative)|[-.*?_]+|n\/?a|none|tbd|specimen in lab|in lab)$/i;

const bareText = (text: string): string =>
  text
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/^[[(*"'.\s-]+(?=\w)|(?<=\w)[\])*"'.!:;\s-]+$/g, '');

/** Whether a text in the place of a value says only that the result is not there yet: `PENDING`, `Results to follow`. */
export function isPendingText(text: string): boolean {
  const bare = bareText(text);
  return ANNOUNCEMENTS.some((pattern) => pattern.test(bare));
}

/** Whether a text only stands in the place of a value: `See note`, `---`. */
export const isPlaceholderText = (text: string): boolean => PLACEHOLDER.test(bareText(text) || text.trim());
