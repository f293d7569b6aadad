import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { z } from 'zod';
import { ConfigError, packageRoot, readConfig } from '../platform/config.ts';
import { openLog } from '../platform/log.ts';
import type { Ground } from '../service.ts';

type Register = (program: Command, ground: (level?: string) => Ground) => void;

/** Read when they are wanted: most of the time of a short command would go into loading the others. */
const COMMANDS: Readonly<Record<string, () => Promise<Register>>> = {
  serve: async () => (await import('./serve.ts')).serveCommand,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  keys: async () => (await import('./keys.ts')).keysCommand,
  listen: async () => (await import('./listen.ts')).listenCommand,
  catalog: async () => (await import('./catalog.ts')).catalogCommand,
  places: async () => (await import('./places.ts')).placesCommand,
  audit: async () => (await import('./audit.ts')).auditCommand,
  backup: async () => (await import('./backup.ts')).backupCommand,
  restore: async () => (await import('./backup.ts')).restoreCommand,
  lab: async () => (await import('./lab.ts')).labCommand,
  wearables: async () => (await import('./wearables.ts')).wearablesCommand,
};

/** What every command starts from: the configuration, all of its mistakes reported at once. */
function ground(level?: string): Ground {
  const config = readConfig();
  return { config, log: openLog(level ?? config.LOG_LEVEL), root: packageRoot(import.meta.url) };
}

/** Of the program; that of the interface stands in /openapi.json. */
function versionOf(root: URL): string {
  const text = readFileSync(new URL('package.json', root), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}

const program = new Command('aliquot')
  .description('Lab testing, users and wearable events: a self-hosted HTTP API with signed webhooks.')
  .version(versionOf(packageRoot(import.meta.url)), '--version', 'say which version this is')
  .showHelpAfterError();

/** The one that is called; all of them where none is, so that help tells of all. */
const [, , called = ''] = process.argv;
const wanted = Object.hasOwn(COMMANDS, called) ? [called] : Object.keys(COMMANDS);
for (const name of wanted) (await COMMANDS[name]?.())?.(program, ground);

try {
  await program.parseAsync();
} catch (error) {
  // A failure of a command is told in a sentence; the stack is for those who look for a bug.
  const told = error instanceof Error ? error : new Error(String(error));
  process.stderr.write(`${told.message}\n`);
  if (!(told instanceof ConfigError))
    openLog(readConfig().LOG_LEVEL).debug({ err: told }, 'the command failed');
  process.exitCode = 1;
}
