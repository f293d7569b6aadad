/** One shell for the commands of one page: what a block sets or changes is there for the next one. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Workspace } from './workspace.ts';

export interface ShellSession {
  /** Runs commands to their end; the code is that of the first that fails, with which the block ends. */
  readonly run: (commands: string) => Promise<{ readonly code: number; readonly output: string }>;
  /** Starts commands on a terminal of their own; returns a function that reads what they have printed so far. */
  readonly start: (commands: string) => Promise<() => string>;
  readonly end: () => Promise<void>;
}

const BLOCK_SECONDS = 90;
const END_SECONDS = 20;
// A failed command ends its block: the trap returns from the sourced file.
const PRELUDE = `set -aE -o pipefail\ntrap 'code=$?; return $code 2>/dev/null' ERR\n`;

/** The sessions that have not ended. */
const open = new Set<ShellSession>();

/** Ends what runs, for a check that is interrupted. */
export async function endSessions(): Promise<void> {
  for (const session of open) await session.end();
}

/** Numbers the files of all sessions, which can share a folder. */
let count = 0;

export function openSession({ checkout, notes, environment }: Workspace): ShellSession {
  const shell = spawn('bash', ['--norc', '--noprofile'], {
    cwd: checkout,
    env: environment,
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  const lines = createInterface({ input: shell.stdout })[Symbol.asyncIterator]();
  shell.stdin.write(PRELUDE);
  const started: string[] = [];
  const write = async (text: string) => {
    count += 1;
    const file = join(notes, `block-${count}`);
    await writeFile(`${file}.sh`, `${text}\n`);
    return file;
  };
  const ask = async (line: string): Promise<number> => {
    shell.stdin.write(`${line}\n`);
    const late = sleep(BLOCK_SECONDS * 1000, 'late' as const, { ref: false });
    const next = await Promise.race([lines.next(), late]);
    if (next === 'late') throw new Error(`it did not end within ${BLOCK_SECONDS} s`);
    if (next.done === true) throw new Error('the shell has ended');
    return Number(next.value);
  };
  const session: ShellSession = {
    run: async (commands) => {
      const file = await write(commands);
      const code = await ask(`source ${file}.sh >${file}.out 2>&1 </dev/null; echo $?`);
      return { code, output: readFileSync(`${file}.out`, 'utf8') };
    },
    start: async (commands) => {
      const file = await write(commands);
      // On a terminal, as a newcomer starts it; the first line tells the leader of its process group.
      await writeFile(`${file}.start`, `echo $$ >${file}.pid\nset -e\n. ${file}.sh\n`);
      await ask(`script -qfc 'exec bash ${file}.start' ${file}.out >/dev/null 2>&1 </dev/null & echo 0`);
      started.push(`${file}.pid`);
      return () => (existsSync(`${file}.out`) ? readFileSync(`${file}.out`, 'utf8') : '');
    },
    end: async () => {
      open.delete(session);
      const groups = started
        .filter((file) => existsSync(file))
        .map((file) => Number(readFileSync(file, 'utf8')));
      for (const group of groups.toReversed()) await endGroup(group);
      if (shell.pid !== undefined) signal(-shell.pid, 'SIGKILL');
    },
  };
  open.add(session);
  return session;
}

/**
 * Asks the innermost processes to stop, as Ctrl+C on a terminal would: were those around them to end first, the terminal
 * would close, and take a service away before it has stopped its database.
 */
async function endGroup(group: number): Promise<void> {
  for (const pid of innermost(group)) signal(pid, 'SIGTERM');
  for (let waited = 0; waited < END_SECONDS * 10 && signal(-group, 0); waited += 1) await sleep(100);
  signal(-group, 'SIGKILL');
}

function innermost(group: number): number[] {
  const members = readdirSync('/proc').flatMap((pid) => {
    const stat = /^\d+$/.test(pid) ? readStat(pid) : undefined;
    return stat?.group === group ? [{ pid: Number(pid), parent: stat.parent }] : [];
  });
  return members.filter(({ pid }) => members.every(({ parent }) => parent !== pid)).map(({ pid }) => pid);
}

/** A process that has ended in the meantime has none. */
function readStat(pid: string): { parent: number; group: number } | undefined {
  try {
    const [, parent, group] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return { parent: Number(parent), group: Number(group) };
  } catch {
    return undefined;
  }
}

/** Whether the process, or with a negative number its group, was there. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
