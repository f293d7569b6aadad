/**
 * Cuts a release: `npm run release -- 1.2.3` moves what is unreleased in CHANGELOG.md below the new version, writes the
 * version into every package, commits and tags. It pushes nothing. `-- --notes v1.2.3` prints that section.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  cutChangelog,
  isNewer,
  notesOf,
  withChartVersion,
  withDocumentVersion,
  withVersion,
} from './changelog.ts';

const root = process.env['RELEASE_ROOT'] ?? join(import.meta.dirname, '../..');
const PACKAGES = [
  'package.json',
  'packages/server/package.json',
  'packages/report-reader/package.json',
  'packages/dashboard/package.json',
];
const LOCK = 'package-lock.json';
const CHART = 'deploy/helm/aliquot/Chart.yaml';
const OPENAPI = 'docs/reference/openapi.json';
const CHANGELOG = 'CHANGELOG.md';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const write = (path: string, text: string): void => writeFileSync(join(root, path), text);
const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

function cut(version: string): void {
  const current = (JSON.parse(read('package.json')) as { version: string }).version;
  if (!isNewer(version, current))
    throw new Error(`expected a version after ${current}, such as 1.2.3; got ${version}`);
  if (git('status', '--porcelain') !== '') throw new Error('expected a checkout without changes');
  if (git('branch', '--show-current') !== 'main') throw new Error('expected the branch main');
  if (git('tag', '--list', `v${version}`) !== '') throw new Error(`the tag v${version} exists`);
  const today = git('log', '-1', '--format=%cs');
  // Everything is computed before anything is written.
  const files = [
    [CHART, withChartVersion(read(CHART), { from: current, to: version })] as const,
    [OPENAPI, withDocumentVersion(read(OPENAPI), { from: current, to: version })] as const,
    [CHANGELOG, cutChangelog(read(CHANGELOG), { version, date: today })] as const,
    ...[...PACKAGES, LOCK].map(
      (path) => [path, withVersion(read(path), { from: current, to: version })] as const,
    ),
  ];
  for (const [path, text] of files) write(path, text);
  git('add', '--', ...files.map(([path]) => path));
  git('commit', '--quiet', '-m', `Release ${version}`);
  git('tag', '--annotate', `v${version}`, '-m', `Aliquot ${version}`);
  process.stdout.write(`v${version} is committed and tagged. To publish it: git push --follow-tags\n`);
}

const { values, positionals } = parseArgs({ options: { notes: { type: 'string' } }, allowPositionals: true });
try {
  if (values.notes === undefined) cut(positionals[0] ?? '');
  else process.stdout.write(`${notesOf(read(CHANGELOG), values.notes.replace(/^v/, ''))}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
