import { cp, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createMemoryFolder } from '../memory-folder.ts';
import { startProcess, type StartedProcess } from './process.ts';

const original = fileURLToPath(new URL('../../../../', import.meta.url));

const COPIED = [
  'package.json',
  'tsconfig.json',
  'packages/dashboard/package.json',
  'packages/dashboard/tsconfig.json',
  'packages/report-reader/package.json',
  'packages/server/bin',
  'packages/server/package.json',
];
const DATA = ['packages/server/data', 'packages/server/migrations'];
const SOURCES = ['packages/dashboard/src', 'packages/report-reader/src', 'packages/server/src'];

/** A copy of this checkout with its own builds, whose sources tests can change. */
export interface Checkout {
  /** With a trailing slash. */
  readonly root: string;
  /** `node FLAGS tools/start.mjs`: `npm start` itself, without npm. */
  start(flags?: readonly string[]): StartedProcess;
  /** `node packages/server/bin/aliquot.js`. */
  command(): StartedProcess;
  write(file: string, text: string): Promise<void>;
  /** The content of packages/server/dist/ in four groups. */
  dist(): Promise<{ builds: string[]; leases: string[]; temporary: string[]; others: string[] }>;
  close(): Promise<void>;
}

/** Copies the tools and the real sources, or writes other sources by path. */
export async function copyCheckout(sources: 'real' | Readonly<Record<string, string>>): Promise<Checkout> {
  const root = `${await createMemoryFolder('aliquot-checkout-')}/`;
  const write = async (file: string, text: string) => {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), text);
  };
  await cp(join(original, 'tools'), join(root, 'tools'), { recursive: true, filter: isModuleOrFolder });
  for (const name of COPIED) await cp(join(original, name), join(root, name), { recursive: true });
  const linked = sources === 'real' ? ['node_modules', ...DATA] : ['node_modules'];
  for (const name of linked) await symlink(join(original, name), join(root, name), 'junction');
  if (sources === 'real') {
    for (const name of SOURCES)
      await cp(join(original, name), join(root, name), { recursive: true, filter: isSource });
  } else for (const [file, text] of Object.entries(sources)) await write(file, text);
  const running: StartedProcess[] = [];
  const start = (args: readonly string[]) => {
    const started = startProcess(args, { PATH: process.env['PATH'] });
    running.push(started);
    return started;
  };
  return {
    root,
    start: (flags = []) => start([...flags, join(root, 'tools/start.mjs')]),
    command: () => start([join(root, 'packages/server/bin/aliquot.js')]),
    write,
    dist: () => groupDistEntries(join(root, 'packages/server/dist')),
    close: async () => {
      for (const { child } of running) child.kill('SIGKILL');
      await Promise.all(running.map(({ ended }) => ended));
      await rm(root, { recursive: true, force: true });
    },
  };
}

const isModuleOrFolder = (path: string) => /\.mjs$|(?:^|[/\\])[^./\\]+$/.test(path);
const isSource = (path: string) => !path.endsWith('.test.ts');

async function groupDistEntries(dist: string) {
  const names = await readdir(dist).catch(() => []);
  const leases = await readdir(join(dist, 'leases')).catch(() => []);
  const builds = names.filter((name) => /^[0-9a-f]{20}(?:-\d+)?$/.test(name));
  const temporary = names.filter((name) => name.startsWith('temporary-'));
  const others = names.filter((name) => ![...builds, ...temporary, 'aliquot.js', 'leases'].includes(name));
  return { builds, leases, temporary, others };
}
