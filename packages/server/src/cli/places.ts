import type { Command } from 'commander';
import type { BootOptions } from '../service.ts';
import { addImportCommand } from './import-file.ts';

/** The laboratories' real patient service centers, which replace the generated ones. */
export function placesCommand(program: Command, ground: (level?: string) => BootOptions): void {
  addImportCommand(program.command('places').description('Patient service centers'), ground, {
    description: 'Replace the sites of the laboratories in a CSV or JSON file, all or nothing',
    columnsPage: 'docs/reference/place-files.md',
    operation: 'places import',
  });
}
