// Leases say which folders of dist/ are in use. A lease is an empty file with all its data in the name:
// `<folder>,<purpose>,<machine>,<pid>,<random>`. A process that cannot write here takes no lease and starts anyway.
import { createHash, randomBytes } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DIST } from './paths.mjs';

const LEASES = join(DIST, 'leases');
const RENEW_EVERY_MS = 3_600_000;
/** Thirty days. Only for leases of other machines and containers, whose processes cannot be checked from here. */
const FORGOTTEN_AFTER_MS = 2_592_000_000;

const attempt = (work) => {
  try {
    return work();
  } catch {
    return undefined;
  }
};

/** The scope of a pid: this host, since its last boot, in this pid namespace. */
const MACHINE = createHash('sha256')
  .update(hostname())
  .update(attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')) ?? '')
  .update(attempt(() => readlinkSync('/proc/self/ns/pid')) ?? '')
  .digest('hex')
  .slice(0, 12);

/** @type {Set<string>} */
const held = new Set();

/**
 * Declares that this process uses a folder of dist/ (`use`) or is about to remove it (`removal`), until it ends or
 * releases the lease.
 *
 * @param {string} folder
 * @param {'use' | 'removal'} purpose
 * @returns {(() => void) | undefined} Releases the lease; undefined when this process may not write to dist/.
 */
export function takeLease(folder, purpose) {
  const file = join(
    LEASES,
    [folder, purpose, MACHINE, process.pid, randomBytes(6).toString('hex')].join(','),
  );
  const isWritten = attempt(() => {
    mkdirSync(LEASES, { recursive: true });
    writeFileSync(file, '', { flag: 'wx' });
    return true;
  });
  if (!isWritten) return undefined;
  if (held.size === 0) process.on('exit', releaseAll);
  held.add(file);
  const renewing = setInterval(() => attempt(() => utimesSync(file, new Date(), new Date())), RENEW_EVERY_MS);
  renewing.unref();
  return () => {
    clearInterval(renewing);
    release(file);
    if (held.size === 0) process.off('exit', releaseAll);
  };
}

function release(file) {
  held.delete(file);
  attempt(() => rmSync(file, { force: true }));
}

const releaseAll = () => held.forEach(release);

/**
 * The leases of all processes that may still be running. Removes the others.
 *
 * @returns {{ folder: string, purpose: string }[]}
 */
export function currentLeases() {
  const names = attempt(() => readdirSync(LEASES)) ?? [];
  return names.flatMap((name) => {
    const [folder, purpose, machine, pid] = name.split(',');
    const isCurrent = machine === MACHINE ? isRunning(Number(pid)) : isRenewed(name);
    if (!isCurrent) attempt(() => rmSync(join(LEASES, name), { force: true }));
    return isCurrent ? [{ folder, purpose }] : [];
  });
}

/** A reused pid keeps a folder longer than needed, which does no harm. */
function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}

const isRenewed = (name) =>
  attempt(() => Date.now() - statSync(join(LEASES, name)).mtimeMs < FORGOTTEN_AFTER_MS) ?? false;
