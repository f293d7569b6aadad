import type { Command } from 'commander';
import { bootstrap, type Credentials } from '../management/management.ts';
import { seedCatalog } from '../lab-testing/catalog/catalog.ts';
import { seedSites } from '../lab-testing/patient-service-centers/patient-service-centers.ts';
import { openApp, startService, type Ground, type Service } from '../service.ts';

export function serveCommand(program: Command, ground: () => Ground): void {
  program
    .command('serve')
    .description(
      'Serve the API and do its background work, as ROLE says; an embedded database without DATABASE_URL',
    )
    .action(async () => serve(ground()));
}

async function serve(given: Ground): Promise<void> {
  const opened = await openApp(given);
  let service: Service;
  try {
    await opened.app.keyring.check();
    await seedCatalog(opened.app);
    await seedSites(opened.app);
    const credentials = await bootstrap(opened.app);
    service = await startService(opened).catch((error: unknown) => {
      // No later start shows them again, as where the port was taken at the first.
      if (credentials) process.stdout.write(`${keysOf(credentials)}\n\n`);
      throw error;
    });
    if (credentials) process.stdout.write(welcome(service, credentials));
  } catch (error) {
    await opened.close();
    throw error;
  }
  given.log.info({ url: service.url, role: given.config.ROLE }, 'serving');
  leaveOnSignal(service, given);
}

const welcome = (service: Service, credentials: Credentials): string =>
  [
    '',
    `  Aliquot serves on ${service.url}`,
    keysOf(credentials),
    `  Reference: ${service.url}/reference`,
    '',
    '',
  ].join('\n');

const keysOf = (credentials: Credentials): string =>
  [
    '',
    `  team              ${credentials.team_id}`,
    `  sandbox key       ${credentials.team_api_key}`,
    `  organization      ${credentials.org_id}`,
    `  management key    ${credentials.management_key}`,
    '',
    '  They are shown once, and kept in credentials.json in the data folder (mode 0600).',
  ].join('\n');

const PATIENCE_MS = 30_000;

/** The first signal finishes what is under way; a second one, or too long a wait, leaves at once. */
function leaveOnSignal(service: Service, { log }: Ground): void {
  let leaving = false;
  const leave = (signal: string) => {
    if (leaving) process.exit(1);
    leaving = true;
    log.info({ signal }, 'leaving');
    setTimeout(() => process.exit(1), PATIENCE_MS).unref();
    service.close().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'leaving failed');
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => leave(signal));
}
