import { Command } from 'commander';
import { ConfigError, packageRoot, readConfig } from '../platform/config.ts';
import { logFormat, openLog } from '../platform/log.ts';
import { versionOf } from '../platform/version.ts';
import type { BootOptions } from '../service.ts';

type RegisterCommand = (program: Command, ground: (level?: string) => BootOptions) => void;

/** Loaded on demand: otherwise a short command would spend most of its time loading the others. */
const COMMANDS: Readonly<Record<string, () => Promise<RegisterCommand>>> = {
  serve: async () => (await import('./serve.ts')).serveCommand,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  accounts: async () => (await import('./accounts.ts')).accountsCommand,
  keys: async () => (await import('./keys.ts')).keysCommand,
  listen: async () => (await import('./listen.ts')).listenCommand,
  catalog: async () => (await import('./catalog.ts')).catalogCommand,
  places: async () => (await import('./places.ts')).placesCommand,
  audit: async () => (await import('./audit.ts')).auditCommand,
  backup: async () => (await import('./backup.ts')).backupCommand,
  restore: async () => (await import('./backup.ts')).restoreCommand,
  lab: async () => (await import('./lab.ts')).labCommand,
  wearables: async () => (await import('./wearables.ts')).wearablesCommand,
  demo: async () => (await import('./demo.ts')).demoCommand,
  mcp: async () => (await import('./mcp.ts')).mcpCommand,
  doctor: async () => (await import('./doctor.ts')).doctorCommand,
};

/** The options that every command starts from. Configuration errors are reported all at once. */
function bootOptions(level?: string): BootOptions {
  const config = readConfig();
  return {
    config,
    log: openLog(level ?? config.LOG_LEVEL, { format: logFormat(config) }),
    root: packageRoot(import.meta.url),
  };
}

const program = new Command('aliquot')
  .description('Lab testing, users and wearable events: a self-hosted HTTP API with signed webhooks.')
  .version(versionOf(packageRoot(import.meta.url)), '--version', 'print the version')
  .showHelpAfterError();

/** Registers only the called command, or all of them for help. */
const [, , called = ''] = process.argv;
const commandNames = Object.hasOwn(COMMANDS, called) ? [called] : Object.keys(COMMANDS);
for (const name of commandNames) (await COMMANDS[name]?.())?.(program, bootOptions);

try {
  await program.parseAsync();
} catch (error) {
  // A failed command prints one sentence; the stack trace is logged at debug level.
  const told = error instanceof Error ? error : new Error(String(error));
  process.stderr.write(`${told.message}\n`);
  if (!(told instanceof ConfigError))
    openLog(readConfig().LOG_LEVEL).debug({ err: told }, 'the command failed');
  process.exitCode = 1;
}
