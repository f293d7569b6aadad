import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../builds/paths.mjs';

const LICENSE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;

/**
 * The licenses of the packages that a bundle contains, which ask to be passed on with it.
 *
 * @param {readonly { folder: string, name: string, version: string, license?: string }[]} packages
 * @returns {Promise<string>}
 */
export async function describeLicenses(packages) {
  const sections = await Promise.all(packages.map(describePackage));
  return `This package contains code of the packages below, under their licenses.\n\n${sections.join('\n')}`;
}

async function describePackage({ folder, name, version, license }) {
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
