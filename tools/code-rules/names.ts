/** Words that say where a thing lies about, not what it is. */
const EMPTY_WORDS = /^(?:utils?|helpers?|common|managers?)$/;

/** What is wrong with the name of a file or of a folder on its path. */
export function namesAgainst(path: string): string[] {
  const parts = path.replace(/\.[^/]*$/, '').split('/');
  const empty = parts.flatMap((part) => wordsOf(part).filter((word) => EMPTY_WORDS.test(word)));
  const services = parts.filter((part) => wordsOf(part).length > 1 && wordsOf(part).at(-1) === 'service');
  return [
    ...empty.map((word) => `'${word}' says nothing: name it by what it does`),
    ...services.map((part) => `'${part}': no -service; name it by what it is about`),
    ...(/(?:^|\/)index\.[cm]?[jt]sx?$/.test(path) ? ['no barrels: no index files'] : []),
  ];
}

/** `testHelpers` and `test-helpers` are both two words. */
const wordsOf = (part: string): string[] =>
  part
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
