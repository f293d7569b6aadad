import { readFileSync } from 'node:fs';

const SUFFIX = '_FILE';

type Settings = Readonly<Record<string, string | undefined>>;

/**
 * Replaces `NAME_FILE`, the path of a file, by `NAME` with its content: that is how containers, Kubernetes and systemd
 * give secrets. Spaces and line ends around the content are not part of it. A setting whose own name ends so, such as
 * TLS_CERT_FILE, stays a path.
 */
export function readSettingFiles(
  given: Settings,
  names: readonly string[],
): { readonly settings: Settings; readonly mistakes: readonly string[] } {
  const settings: Record<string, string | undefined> = { ...given };
  const mistakes: string[] = [];
  for (const name of names) {
    const variable = `${name}${SUFFIX}`;
    const path = given[variable];
    if (path === undefined || names.includes(variable)) continue;
    if (given[name] !== undefined) mistakes.push(`${variable}: not expected, because ${name} is set`);
    else
      try {
        settings[name] = readFileSync(path, 'utf8').trim() || undefined;
      } catch (error) {
        mistakes.push(`${variable}: ${error instanceof Error ? error.message : String(error)}`);
      }
  }
  return { settings, mistakes };
}
