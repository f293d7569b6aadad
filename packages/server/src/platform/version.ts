import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** The version of the program in `root`; that of the API is in /openapi.json. */
export function versionOf(root: URL): string {
  const text = readFileSync(new URL('package.json', root), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}

const NUMBERS = /^(\d+)\.(\d+)\.(\d+)/;

/** Major, minor and patch; what follows them (`-rc.1`) does not count. */
function numbersOf(version: string): readonly [number, number, number] {
  const [, major, minor, patch] = NUMBERS.exec(version) ?? [];
  if (patch === undefined) throw new Error(`Expected a version such as 1.2.3, got ${version}`);
  return [Number(major), Number(minor), Number(patch)];
}

/** Negative if `a` is the older one. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [numbersOf(a), numbersOf(b)];
  const at = left.findIndex((number, index) => number !== right[index]);
  return at < 0 ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
}

export const newerOf = (a: string, b: string): string => (compareVersions(a, b) < 0 ? b : a);

/** Whether `version` belongs to the same minor version as `newest`, or to the one before it, or is newer. */
export function isWithinOneMinor(version: string, newest: string): boolean {
  if (compareVersions(version, newest) >= 0) return true;
  const [major, minor] = numbersOf(version);
  const [newestMajor, newestMinor] = numbersOf(newest);
  return major === newestMajor && newestMinor - minor <= 1;
}
