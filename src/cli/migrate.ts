import type { Command } from 'commander';
import { openApp, type Ground } from '../service.ts';
import { seedCatalog } from '../lab-testing/catalog/catalog.ts';
import { seedSites } from '../lab-testing/patient-service-centers/patient-service-centers.ts';

export function migrateCommand(program: Command, ground: () => Ground): void {
  program
    .command('migrate')
    .description('Bring the database to the newest form and leave; serve does the same at its start')
    .action(async () => {
      const opened = await openApp(ground());
      try {
        await seedCatalog(opened.app);
        await seedSites(opened.app);
        process.stdout.write('The database is at the newest form.\n');
      } finally {
        await opened.close();
      }
    });
}
