import type { Command } from 'commander';
import { openApp, type BootOptions } from '../service.ts';
import { seedCatalog } from '../ordering/catalog/catalog.ts';
import { seedSites } from '../scheduling/patient-service-centers/patient-service-centers.ts';

export function migrateCommand(program: Command, ground: () => BootOptions): void {
  program
    .command('migrate')
    .description('Migrate the database to the latest schema and exit; serve does the same at start')
    .action(async () => {
      const opened = await openApp(ground());
      try {
        await seedCatalog(opened.app);
        await seedSites(opened.app);
        process.stdout.write('The database schema is up to date.\n');
      } finally {
        await opened.close();
      }
    });
}
