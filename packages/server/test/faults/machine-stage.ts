import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { request } from 'undici';
import { withCleanup, type CleanupTasks } from '../../../../tools/stage/cleanup.ts';
import { openStage, type FaultStage, type StageOptions } from './stage.ts';

const run = promisify(execFile);

/** The service on a file system, with a table of hosts and a clock that are its own, so that they can fail alone. */
export interface MachineStage extends FaultStage {
  /** The file that the service sees as `/etc/hosts`; the name of the receiver stands only there. */
  readonly hostsFile: string;
  /** What `/readyz` said and what the log said while something failed, with how often. */
  readonly seen: Map<string, number>;
  /** Reads `/readyz` once, as a load balancer does. */
  observe(): Promise<void>;
  /** Starts the service again if it has ended, as a service manager does. */
  revive(): Promise<void>;
}

/** Room for the cluster and its log of a scene; what is left is filled when the disk is to be full. */
const DISK_MB = 700;
const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1';
const RECEIVER_HOST = 'receiver.test';
/** The clock of the team advances by this between two polls at the end, so that retries come due. */
const STEP_SECONDS = 600;

/** Why the machine cannot be made to fail here; undefined where it can. */
export const whyNoMachine = (): string | undefined =>
  process.platform === 'linux' && process.getuid?.() === 0 ? undefined : 'it needs root on Linux';

/** Why the clock of a process cannot be set here; undefined where it can. */
export const whyNoClock = (): string | undefined =>
  existsSync(FAKETIME) ? undefined : `it needs ${FAKETIME} (Debian: libfaketime)`;

/** Needs Linux, root, and the commands mount, unshare, prlimit and fallocate (util-linux). */
export const withMachineStage = <T>(play: (stage: MachineStage) => Promise<T>): Promise<T> =>
  withCleanup(
    (cleanups) =>
      openMachine(cleanups, {
        prepareFolder: mountDisk,
        receiverHost: RECEIVER_HOST,
        // In a namespace of its own, so that nothing else on the machine sees another table of hosts.
        command: [
          'unshare',
          '--mount',
          'sh',
          '-c',
          'mount --bind "$DATA_DIR/hosts" /etc/hosts && exec "$@"',
          '--',
        ],
        settings: { PATH: process.env['PATH'] ?? '' },
      }),
    play,
  );

/** A file in the folder of the service that libfaketime reads at every look at the clock. */
export const OFFSET_FILE = 'clock-offset';

/** The same, whose wall clock is that of libfaketime (Debian: faketime). Durations are still measured by the real one. */
export const withClockStage = <T>(play: (stage: MachineStage) => Promise<T>): Promise<T> =>
  withCleanup(async (cleanups) => {
    const machine = await openMachine(cleanups, {
      prepareFolder: async (folder) => {
        await prepareHosts(folder);
        await writeFile(join(folder, OFFSET_FILE), '+0s');
        await chmod(folder, 0o755);
      },
      command: [
        'sh',
        '-c',
        `FAKETIME_TIMESTAMP_FILE="$DATA_DIR/${OFFSET_FILE}" LD_PRELOAD=${FAKETIME} exec "$@"`,
        '--',
      ],
      settings: {
        PATH: process.env['PATH'] ?? '',
        FAKETIME_NO_CACHE: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      },
    });
    return machine;
  }, play);

async function mountDisk(folder: string, cleanups: CleanupTasks): Promise<void> {
  await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m,mode=755`, 'aliquot-faults', folder]);
  cleanups.push(async () => void (await run('umount', ['--lazy', folder])));
  await prepareHosts(folder);
}

const prepareHosts = async (folder: string): Promise<void> => {
  await copyFile('/etc/hosts', join(folder, 'hosts'));
  await writeFile(join(folder, 'hosts'), KNOWN_HOSTS);
};

export const KNOWN_HOSTS = `127.0.0.1 localhost ${RECEIVER_HOST}\n`;

async function openMachine(cleanups: CleanupTasks, options: StageOptions): Promise<MachineStage> {
  const stage = await openStage(cleanups, options);
  const seen = new Map<string, number>();
  const note = (what: string) => void seen.set(what, (seen.get(what) ?? 0) + 1);
  return {
    ...stage,
    hostsFile: join(stage.folder, 'hosts'),
    seen,
    observe: async () => note(`readyz ${await readReadiness(stage.url)}`),
    revive: async () => {
      if (!stage.service().hasEnded()) return;
      note('the service ended and was started again');
      for (const line of errorsOf(stage.service().output())) note(`log: ${line}`);
      await stage.restart();
    },
    advanceDueTimes: async () => void (await stage.manage('/clock', { advance_seconds: STEP_SECONDS })),
  };
}

/** The status, the reason where there is one, and how far the clock of the service is off. */
async function readReadiness(url: string): Promise<string> {
  const answer = await request(`${url}/readyz`, { headersTimeout: 2000 }).catch(() => undefined);
  if (!answer) return 'no answer';
  const text = await answer.body.text();
  const minutes = Math.round((Date.parse(String(answer.headers['date'])) - Date.now()) / 60_000);
  return [
    String(answer.statusCode),
    ...(answer.statusCode === 200 ? [] : [text.slice(0, 200)]),
    ...(minutes === 0 ? [] : [`with a clock ${minutes} minutes off`]),
  ].join(' ');
}

/** The messages of the lines of a log that are warnings or errors. */
export function errorsOf(output: string): readonly string[] {
  return output.split('\n').flatMap((line) => {
    try {
      const { level, msg } = JSON.parse(line) as { level?: string; msg?: string };
      return level === 'error' || level === 'warn' || level === 'fatal' ? [String(msg)] : [];
    } catch {
      return [];
    }
  });
}
