import { Command } from 'commander';
import { ConfigError, packageRoot, readConfig } from '../platform/config.ts';
import { openLog } from '../platform/log.ts';
import type { Ground } from '../service.ts';
import { auditCommand } from './audit.ts';
import { backupCommands } from './backup.ts';
import { catalogCommand } from './catalog.ts';
import { keysCommand } from './keys.ts';
import { labCommand } from './lab.ts';
import { listenCommand } from './listen.ts';
import { migrateCommand } from './migrate.ts';
import { placesCommand } from './places.ts';
import { serveCommand } from './serve.ts';
import { wearablesCommand } from './wearables.ts';

/** What every command starts from: the configuration, all of its mistakes reported at once. */
function ground(level?: string): Ground {
  const config = readConfig();
  return { config, log: openLog(level ?? config.LOG_LEVEL), root: packageRoot(import.meta.url) };
}

const program = new Command('aliquot')
  .description('Lab testing, users and wearable events: a self-hosted HTTP API with signed webhooks.')
  .showHelpAfterError();

serveCommand(program, ground);
migrateCommand(program, ground);
keysCommand(program, ground);
listenCommand(program, ground);
catalogCommand(program, ground);
placesCommand(program, ground);
auditCommand(program, ground);
backupCommands(program, ground);
labCommand(program, ground);
wearablesCommand(program, ground);

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
