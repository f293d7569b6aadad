import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { BootOptions } from '../service.ts';
import { runOperation } from './run-operation.ts';

/** Imports data of users' wearable devices. */
export function wearablesCommand(program: Command, ground: (level?: string) => BootOptions): void {
  program
    .command('wearables')
    .description('Manage data of users’ wearable devices')
    .command('import')
    .description('Import a FIT, TCX or GPX file, or an Apple Health export, as historical data of a user')
    .argument(
      '<file>',
      'the format is detected by content; .gz is decompressed; see docs/reference/wearable-files.md',
    )
    .requiredOption('--user <id>', 'the id of the user')
    .addHelpText('after', HELP)
    .action(async (file: string, { user }: { user: string }) =>
      runOperation(ground('warn'), 'wearables import', { path: resolve(file), user }),
    );
}

const HELP = `
Importing the same file again changes nothing. Imports emit no daily events. Exits with 1 if the file could not be read
to its end. The running service of DATA_DIR reads the file if there is one: it must be readable for its user.
`;
