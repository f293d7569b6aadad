import { spawn, type ChildProcess } from 'node:child_process';
import { locateProgram } from '../../platform/program.ts';
import { WARM_UP_ARGUMENT } from './protocol.ts';
import { readablePaths } from './readable-paths.ts';

export interface ChildOptions {
  readonly root: URL;
  readonly memoryBytes: number;
  /** Path of the operator's Loinc.csv, for processes that read reports. */
  readonly loincCsv: string | null;
  /** Whether the process warms up before its request. */
  readonly isWarm?: boolean;
}

/** The program of the process. */
const READER_PROGRAM = { name: 'lab-report-reader', source: 'src/lab-reports/readers/child.ts' };

/** Share of the memory limit for the JavaScript heap; images and models are outside it. */
const HEAP_SHARE = 0.75;
const MIB = 1024 * 1024;
const CPU_SECONDS = 1200;

/**
 * Starts a process that waits for one request. It gets no environment and cannot write files or start processes. It may
 * read the program, its packages and its data only: not DATA_DIR, not /proc.
 */
export async function startChild({
  root,
  memoryBytes,
  loincCsv,
  isWarm = false,
}: ChildOptions): Promise<ChildProcess> {
  const permission = process.allowedNodeEnvironmentFlags.has('--permission')
    ? '--permission'
    : '--experimental-permission';
  const readable = await readablePaths(root);
  if (loincCsv !== null) readable.push(loincCsv);
  const flags = [
    '--no-warnings',
    `--max-old-space-size=${Math.floor((memoryBytes * HEAP_SHARE) / MIB)}`,
    permission,
    '--allow-addons',
    '--allow-worker',
    ...readable.map((path) => `--allow-fs-read=${path}`),
    await locateProgram(READER_PROGRAM),
    ...(isWarm ? [WARM_UP_ARGUMENT, loincCsv ?? ''] : []),
  ];
  const options = {
    stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
    env: { TZ: 'UTC' },
    windowsHide: true,
  } as const;
  if (process.platform === 'win32')
    return spawn(process.execPath, flags, { ...options, stdio: [...options.stdio] });
  // Limits that hold even if the parent dies: CPU time, no core dump, no written files.
  const bounded = `ulimit -c 0; ulimit -f 0; ulimit -t ${CPU_SECONDS}; exec "$0" "$@"`;
  return spawn('/bin/sh', ['-c', bounded, process.execPath, ...flags], {
    ...options,
    stdio: [...options.stdio],
  });
}
