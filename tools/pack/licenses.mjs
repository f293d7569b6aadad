import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../builds/paths.mjs';

const PACKAGE = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//;
const LICENSE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;

/**
 * The licenses of the packages that a bundle contains, which ask to be passed on with it.
 *
 * @param {readonly string[]} inputs Bundled files, as paths from the root.
 * @returns {Promise<string>}
 */
export async function describeLicenses(inputs) {
  const folders = new Set(inputs.flatMap((file) => PACKAGE.exec(file)?.[0] ?? []));
  const sections = await Promise.all([...folders].toSorted().map(describePackage));
  return `This package contains code of the packages below, under their licenses.\n\n${sections.join('\n')}`;
}

async function describePackage(folder) {
  const { name, version, license } = JSON.parse(await readFile(join(ROOT, folder, 'package.json'), 'utf8'));
  const files = (await readdir(join(ROOT, folder))).filter((file) => LICENSE_FILE.test(file)).toSorted();
  const texts = await Promise.all(files.map((file) => readFile(join(ROOT, folder, file), 'utf8')));
  return [
    `${name} ${version} (${license ?? 'see below'})`,
    '',
    ...texts.map((text) => text.trim()),
    '',
    '-'.repeat(80),
    '',
  ].join('\n');
}
