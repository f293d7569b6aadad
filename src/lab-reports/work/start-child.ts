import { spawn, type ChildProcess } from 'node:child_process';
import { programOf } from '../../platform/program.ts';
import { WARM } from './protocol.ts';
import { readablePaths } from './readable.ts';

export interface Starting {
  readonly root: URL;
  readonly memoryBytes: number;
  /** The user's own Loinc.csv, where the process is to read reports. */
  readonly loincCsv: string | null;
  /** Whether it gets ready to read reports before it is asked anything. */
  readonly isWarm?: boolean;
}

/** It reads lab reports. */
const READER = { name: 'lab-report-reader', source: 'src/lab-reports/work/child.ts' };

/** The heap is a part of the memory that counts; pictures and models lie beside it. */
const HEAP_SHARE = 0.75;
const MIB = 1024 * 1024;
const CPU_SECONDS = 1200;

/**
 * A process that waits for one question. It gets no environment, may write no file and start no process. Reading is allowed
 * where the program and its data lie, and nowhere else: not in DATA_DIR, not in /proc.
 */
export async function startChild({
  root,
  memoryBytes,
  loincCsv,
  isWarm = false,
}: Starting): Promise<ChildProcess> {
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
    await programOf(READER),
    ...(isWarm ? [WARM, loincCsv ?? ''] : []),
  ];
  const options = {
    stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
    env: { TZ: 'UTC' },
    windowsHide: true,
  } as const;
  if (process.platform === 'win32')
    return spawn(process.execPath, flags, { ...options, stdio: [...options.stdio] });
  // The system itself holds it to some processor time, should we be gone, and to no core dump and no written file.
  const bounded = `ulimit -c 0; ulimit -f 0; ulimit -t ${CPU_SECONDS}; exec "$0" "$@"`;
  return spawn('/bin/sh', ['-c', bounded, process.execPath, ...flags], {
    ...options,
    stdio: [...options.stdio],
  });
}
