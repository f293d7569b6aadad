const UNRELEASED = '## [Unreleased]';
const VERSION = /^(\d+)\.(\d+)\.(\d+)$/;

/** Whether both are versions such as 1.2.3, and the first comes after the second. */
export function isNewer(version: string, than: string): boolean {
  const [left, right] = [VERSION.exec(version), VERSION.exec(than)];
  if (!left || !right) return false;
  for (const at of [1, 2, 3]) {
    const difference = Number(left[at]) - Number(right[at]);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

/** Puts the title of the version above what is unreleased, and leaves an empty section for what comes next. */
export function cutChangelog(text: string, { version, date }: { version: string; date: string }): string {
  if (!text.includes(`\n${UNRELEASED}\n`))
    throw new Error(`expected a section "${UNRELEASED}" in the changelog`);
  if (notesOf(text, 'Unreleased') === '') throw new Error('nothing is unreleased in the changelog');
  return text.replace(`\n${UNRELEASED}\n`, `\n${UNRELEASED}\n\n## [${version}] - ${date}\n`);
}

/** The section of a version, without its title. */
export function notesOf(text: string, version: string): string {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`## [${version}]`));
  if (start === -1) throw new Error(`the changelog has no section for ${version}`);
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => line.startsWith('## '));
  return (end === -1 ? rest : rest.slice(0, end)).join('\n').trim();
}

const OWN_NAMES = /^aliquot(?:-.+)?$/;

interface Versioned {
  name?: string;
  version?: string;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  packages?: Record<string, Versioned>;
}

/** A package.json or its lock file with the new version of our own packages; the others stay as they are. */
export function withVersion(text: string, { from, to }: { from: string; to: string }): string {
  const document = JSON.parse(text) as Versioned;
  const renew = (one: Versioned): void => {
    if (OWN_NAMES.test(one.name ?? '') && one.version === from) one.version = to;
    for (const dependencies of [one.dependencies, one.peerDependencies])
      for (const [name, version] of Object.entries(dependencies ?? {}))
        if (dependencies && OWN_NAMES.test(name) && version === from) dependencies[name] = to;
    Object.values(one.packages ?? {}).forEach(renew);
  };
  renew(document);
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** The same for the chart of Kubernetes: its own version, and that of the image. */
export const withChartVersion = (text: string, { from, to }: { from: string; to: string }): string =>
  text
    .replace(`version: ${from}\n`, `version: ${to}\n`)
    .replace(`appVersion: '${from}'`, `appVersion: '${to}'`);

/** The same for the OpenAPI document, which names the version of the program next to that of the interface. */
export const withDocumentVersion = (text: string, { from, to }: { from: string; to: string }): string =>
  text.replace(`"x-aliquot-version": "${from}"`, `"x-aliquot-version": "${to}"`);
