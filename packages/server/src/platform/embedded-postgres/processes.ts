import { execFile } from 'node:child_process';
import { readFile, readlink, readdir } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * A value that identifies this process instance, because pids are reused. `undefined` means that it is dead. A zombie
 * counts as dead: it holds no file, lock or memory, and in a container whose init does not reap it may stay forever.
 */
export async function processIdentity(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') return linuxIdentity(pid);
  if (process.platform === 'win32') return signalReaches(pid) ? 'alive' : undefined;
  const [state, ...started] = (await ps(pid, 'state=,lstart=')).split(/\s+/);
  return !state || state.startsWith('Z') ? undefined : started.join(' ');
}

/** The command line of a process; empty if it is gone or hidden. */
export async function commandOf(pid: number): Promise<string> {
  if (process.platform === 'win32') return '';
  if (process.platform !== 'linux') return ps(pid, 'command=');
  return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ').trim();
}

/** The working directory of a process; Linux only. That of PostgreSQL is its data folder, even after a move. */
export const workingDirectoryOf = (pid: number): Promise<string | undefined> =>
  readlink(`/proc/${pid}/cwd`).catch(() => undefined);

/** All pids; Linux only. */
export async function allPids(): Promise<number[]> {
  const names = await readdir('/proc').catch(() => []);
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}

/** Sends a signal; `false` if there is no such process. */
export function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** The error code of the operating system, such as `ENOENT`; empty for any other error. */
export function errorCodeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function linuxIdentity(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return undefined;
  // The name in parentheses may itself contain spaces and parentheses, so fields are counted after the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, startedTicks] = [fields[0], fields[19]];
  if (state === 'Z' || state === 'X') return undefined;
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  return `${boot.trim()} ${startedTicks}`;
}

/** The time zone and locale are fixed, so that the same start time always reads the same. */
async function ps(pid: number, columns: string): Promise<string> {
  const env = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' };
  const answer = await run('ps', ['-o', columns, '-p', String(pid)], { env }).catch(() => ({ stdout: '' }));
  return answer.stdout.trim();
}

function signalReaches(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCodeOf(error) === 'EPERM';
  }
}
