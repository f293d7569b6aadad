/** The folder of one page: a checkout in which nothing was started, and programs that stand before those of the machine. */
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';

/** Ports that the pages name. Each page gets free ones instead, in its commands, its files and what is compared. */
const NAMED_PORTS = ['3000', '8080', '2576'] as const;
const NAMED = /(?<![\d.])(?:3000|8080|2576)(?!\d)/g;

/** Folders of a server that the pages name; they are folders of the page instead. */
const PLACES = ['/backups', '/srv'] as const;

export interface Workspace {
  /** Where the commands run. */
  readonly checkout: string;
  /** For scripts and outputs. */
  readonly notes: string;
  readonly environment: Readonly<Record<string, string>>;
  /** From the ports and folders that a page names to those of this run. */
  readonly fromPage: (text: string) => string;
  readonly toPage: (text: string) => string;
}

export async function makeWorkspace(root: string, folder: string): Promise<Workspace> {
  const [checkout, notes, bin] = [join(folder, 'aliquot'), join(folder, 'notes'), join(folder, 'bin')];
  for (const each of [checkout, notes, bin, ...PLACES.map((place) => join(folder, place))])
    await mkdir(each, { recursive: true });
  // The embedded database of root runs as nobody, who must be able to walk in.
  for (const each of [folder, checkout]) await chmod(each, 0o755);
  for (const name of await readdir(root))
    if (!name.startsWith('.')) await symlink(join(root, name), join(checkout, name));
  await writePrograms(bin);
  const ports = new Map<string, string>();
  for (const name of NAMED_PORTS) ports.set(name, await freePort());
  const names = new Map([...ports].map(([name, port]) => [port, name]));
  return {
    checkout,
    notes,
    environment: environmentOf(bin, ports.get('3000') ?? ''),
    fromPage: (text) =>
      text
        .replace(NAMED, (name) => ports.get(name) ?? name)
        .replace(/(?<![\w.])\/(?:backups|srv)\b/g, (place) => join(folder, place)),
    toPage: (text) => text.replace(/\d{4,5}/g, (port) => names.get(port) ?? port).replaceAll(folder, ''),
  };
}

/** Nothing that a developer has set for a service of their own reaches the commands. */
const environmentOf = (bin: string, port: string): Record<string, string> => ({
  PATH: `${bin}:${process.env['PATH'] ?? ''}`,
  HOME: process.env['HOME'] ?? '/',
  LANG: 'C.UTF-8',
  TERM: 'dumb',
  NO_COLOR: '1',
  PORT: port,
  LAB_MLLP_PORTS: '26100-26199',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_prefer_offline: 'true',
  npm_config_update_notifier: 'false',
});

async function writePrograms(bin: string): Promise<void> {
  const real = (name: string) => execFileSync('which', [name], { encoding: 'utf8' }).trim();
  const programs = {
    // The packages of the checkout are installed; installing them again would remove those that this program uses.
    npm: `case "$1" in ci) echo 'added before' ;; *) exec ${real('npm')} "$@" ;; esac`,
    // An error of the service fails the block, unless the page prints the status itself.
    curl: `case " $* " in *' -w '*) exec ${real('curl')} "$@" ;; *) exec ${real('curl')} --fail-with-body "$@" ;; esac`,
  };
  for (const [name, text] of Object.entries(programs))
    await writeFile(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
}

const freePort = (): Promise<string> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? String(address.port) : ''));
    });
  });
