import type { Command } from 'commander';
import type { BootOptions } from '../service.ts';
import { addImportCommand } from './import-file.ts';
import { runOperation } from './run-operation.ts';

/** The deployment's own laboratories and markers, and the lab tests that await approval by the operator. */
export function catalogCommand(program: Command, ground: (level?: string) => BootOptions): void {
  const catalog = program.command('catalog').description('Laboratories, markers and lab tests');

  addImportCommand(catalog, ground, {
    description: 'Import laboratories and markers from a CSV or JSON file, all or nothing',
    columnsPage: 'docs/reference/catalog-files.md',
    operation: 'catalog import',
  });

  catalog
    .command('pending')
    .description('List the lab tests of production teams that await approval')
    .action(async () => runOperation(ground('warn'), 'catalog pending', {}));

  catalog
    .command('approve')
    .description('Approve lab tests, so that teams can order them')
    .argument('<id...>', 'ids, as shown by `catalog pending`')
    .action(async (ids: string[]) => runOperation(ground('warn'), 'catalog approve', { ids }));
}
