import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The lines of each file that differ from a commit. */
export async function changedLines(
  root: string,
  ref: string,
): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
  const { stdout } = await run('git', ['diff', '-U0', '--no-color', ref, '--', 'packages'], {
    cwd: root,
    maxBuffer: 100_000_000,
  });
  const changed = new Map<string, Set<number>>();
  let lines = new Set<number>();
  for (const line of stdout.split('\n')) {
    const file = /^\+\+\+ b\/(.*)$/.exec(line)?.[1];
    if (file !== undefined) changed.set(file, (lines = new Set()));
    const hunk = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line);
    for (let at = 0; hunk && at < Number(hunk[2] ?? 1); at += 1) lines.add(Number(hunk[1]) + at);
  }
  return changed;
}
