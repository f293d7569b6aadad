import { access, constants, readFile, stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { findReportReader, REPORT_READER_PACKAGE } from '../lab-reports/lab-reports.ts';
import type { Config } from '../platform/config.ts';
import type { Check, Finding } from './finding.ts';

const GIB = 1024 ** 3;
/** Below it, a day of events or one backup can fill the disk. */
const DISK_WARNING_BYTES = 5 * GIB;
const DISK_PROBLEM_BYTES = GIB / 2;
const OLDEST_NODE = [20, 19] as const;

/** The report reader is a package of its own, as large as everything else together. */
export function checkReportReader(
  installed: { readonly version: string } | undefined,
  { own, role }: { own: string; role: Config['ROLE'] },
): Finding {
  const subject = 'report reader';
  const advice = `Run \`npm install --ignore-scripts ${REPORT_READER_PACKAGE}@${own}\` next to the service, and start it again.`;
  if (installed?.version === own) return { subject, state: 'ok', detail: `version ${own}` };
  if (installed)
    return {
      subject,
      state: 'problem',
      detail: `version ${installed.version}, but the service is ${own}`,
      advice,
    };
  const detail = `${REPORT_READER_PACKAGE} is not installed`;
  return role === 'api'
    ? { subject, state: 'not used', detail: `${detail}; workers that have it read uploaded lab reports` }
    : { subject, state: 'warning', detail: `${detail}: uploaded lab reports wait`, advice };
}

export const machineChecks: readonly Check[] = [
  { subject: 'Node.js', run: async () => [checkNode(process.versions.node)] },
  {
    subject: 'report reader',
    run: async ({ config, root }) => [
      checkReportReader(findReportReader(), { own: await versionOf(root), role: config.ROLE }),
    ],
  },
  { subject: 'data folder', run: ({ config }) => checkDataFolder(config) },
  { subject: 'disk', run: async ({ config }) => [await checkDisk('DATA_DIR', config.DATA_DIR)] },
  {
    subject: 'disk of backups',
    run: async ({ config: { BACKUP_FOLDER } }) =>
      BACKUP_FOLDER === undefined ? [] : [await checkDisk('BACKUP_FOLDER', BACKUP_FOLDER)],
  },
];

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  return isOld
    ? {
        subject: 'Node.js',
        state: 'problem',
        detail: `version ${version}`,
        advice: `Install Node.js ${OLDEST_NODE.join('.')} or newer.`,
      }
    : { subject: 'Node.js', state: 'ok', detail: `version ${version}` };
}

const versionOf = async (root: URL): Promise<string> =>
  z.object({ version: z.string() }).parse(JSON.parse(await readFile(new URL('package.json', root), 'utf8')))
    .version;

async function checkDataFolder({ DATA_DIR: folder }: Config): Promise<Finding[]> {
  const subject = 'data folder';
  const place = await nearestFolder(folder);
  const isWritable = await access(place, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!isWritable) {
    const advice = `Give the user of the service (uid ${process.getuid?.() ?? 'unknown'}) write access to ${place}, or set DATA_DIR.`;
    return [{ subject, state: 'problem', detail: `${place} cannot be written`, advice }];
  }
  const made = place === resolve(folder);
  const detail = made ? `${folder} can be written` : `${folder} will be made at the first start`;
  return [{ subject, state: 'ok', detail }, ...(await checkSecrets(folder))];
}

/** Files of the data folder that hold secrets. */
const SECRET_FILES = ['credentials.json', 'encryption.key', 'sign-in-url.txt'];

async function checkSecrets(folder: string): Promise<Finding[]> {
  const open: string[] = [];
  for (const name of SECRET_FILES) {
    const mode = await stat(join(folder, name)).then(
      (found) => found.mode,
      () => undefined,
    );
    // Others of this machine: the last three bits. Windows has no such bits.
    if (mode !== undefined && process.platform !== 'win32' && (mode & 0o007) !== 0) open.push(name);
  }
  if (open.length === 0) return [];
  return [
    {
      subject: 'secrets',
      state: 'warning',
      detail: `every user of this machine can read ${open.join(', ')} in ${folder}`,
      advice: `Run: chmod 600 ${open.map((name) => join(folder, name)).join(' ')}`,
    },
  ];
}

/** The folder itself, or the first above it that is there. */
async function nearestFolder(folder: string): Promise<string> {
  const path = resolve(folder);
  const isThere = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isThere || dirname(path) === path ? path : nearestFolder(dirname(path));
}

async function checkDisk(setting: string, folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(await nearestFolder(folder));
  return describeSpace(setting, bavail * bsize);
}

/** `bytes` are those that are free. */
export function describeSpace(setting: string, bytes: number): Finding {
  const subject = `disk of ${setting}`;
  const detail = `${(bytes / GIB).toFixed(1)} GiB free`;
  if (bytes >= DISK_WARNING_BYTES) return { subject, state: 'ok', detail };
  const advice = `Free space, or move ${setting} to a larger disk. The embedded database stops taking writes on a full disk.`;
  return { subject, state: bytes < DISK_PROBLEM_BYTES ? 'problem' : 'warning', detail, advice };
}
