import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { BootOptions } from '../service.ts';
import type { OperationName } from './operations/operations.ts';
import { runOperation } from './run-operation.ts';

const FORMATS = ['csv', 'json'] as const;
type ImportFormat = (typeof FORMATS)[number];

interface ImportFlags {
  readonly dryRun: boolean;
  readonly format?: ImportFormat;
}

interface ImportCommand {
  readonly description: string;
  /** The page that describes the columns of the file. */
  readonly columnsPage: string;
  /** Imports the file, all or nothing. */
  readonly operation: OperationName;
}

/** Adds `import <file>`, which imports a CSV or JSON file, shows what changed and lists what is wrong in the file. */
export function addImportCommand(
  parent: Command,
  ground: (level?: string) => BootOptions,
  { description, columnsPage, operation }: ImportCommand,
): void {
  parent
    .command('import')
    .description(description)
    .argument('<file>', `a .csv or .json file; for its columns see ${columnsPage}`)
    .option('--dry-run', 'show what would change without writing', false)
    .addOption(
      new Option('--format <format>', 'needed if the file name has no such extension').choices(FORMATS),
    )
    .action(async (path: string, { dryRun, format }: ImportFlags) => {
      const boot = ground('warn');
      const file = { format: format ?? formatOf(path), content: await readFile(path, 'utf8'), dryRun };
      await runOperation(boot, operation, { path, ...file });
    });
}

function formatOf(path: string): ImportFormat {
  const ending = extname(path).slice(1).toLowerCase();
  const format = FORMATS.find((one) => one === ending);
  if (!format) throw new InvalidArgumentError(`expected a .csv or .json file, or --format; got ${path}`);
  return format;
}
