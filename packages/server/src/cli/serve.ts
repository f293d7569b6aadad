import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { App } from '../app.ts';
import { prepareOwnerUrl, type OwnerUrl } from '../identity/accounts/accounts.ts';
import { bootstrap, credentialsFile, type BootstrapCredentials } from '../identity/management/management.ts';
import type { Config } from '../platform/config.ts';
import { listenLocally } from './local-socket/listen-locally.ts';
import { versionOf } from '../platform/version.ts';
import { stripControlCharacters } from './terminal/terminal.ts';
import { logFormat, openLog, type Log } from '../platform/log.ts';
import { openTelemetry, type Telemetry } from '../platform/telemetry/telemetry.ts';
import {
  openApp,
  seedShippedData,
  startService,
  type BootOptions,
  type OpenedApp,
  type Service,
} from '../service.ts';

export function serveCommand(program: Command, ground: () => BootOptions): void {
  program
    .command('serve')
    .description(
      'Run the API and the workers, as set by ROLE; with an embedded database unless DATABASE_URL is set',
    )
    .action(async () => serve(ground()));
}

async function serve(ground: BootOptions): Promise<void> {
  const telemetry = openTelemetry(ground.config);
  const given = { ...ground, telemetry, log: openObservedLog(ground, telemetry) };
  const opened = closeWithTelemetry(await openApp(given), telemetry);
  let service: Service;
  let local: { stop(): Promise<void> };
  try {
    await opened.app.keyring.check();
    await seedShippedData(opened);
    const credentials = await bootstrap(opened.app);
    // Worker processes do not serve the page that the URL opens.
    const owner = given.config.ROLE === 'worker' ? undefined : await prepareOwnerUrl(opened.app);
    service = await startService(opened).catch((error: unknown) => {
      // Later starts do not show them again, so it is printed where they are even if this start fails, for example because the port
      // is taken.
      if (credentials) process.stdout.write(`${describeCredentials(credentials, given.config)}\n\n`);
      throw error;
    });
    local = await listenLocally({
      app: opened.app,
      ownerPool: opened.pools.ownerPool,
      version: versionOf(given.root),
    });
    if (credentials) process.stdout.write(welcome(service, describeCredentials(credentials, given.config)));
    if (owner) announceOwnerUrl(opened.app, owner);
  } catch (error) {
    await opened.close();
    throw error;
  }
  given.log.info({ url: service.url, probe_url: service.probeUrl, role: given.config.ROLE }, 'serving');
  shutDownOnSignal(
    {
      close: async () => {
        await local.stop();
        await service.close();
      },
    },
    given,
  );
}

/** The log of the service, whose lines name their trace and are exported, if the settings say so. */
function openObservedLog({ config, log }: BootOptions, telemetry: Telemetry): Log {
  const { traceFields, copyLine } = telemetry;
  const observed =
    traceFields || copyLine
      ? openLog(config.LOG_LEVEL, { format: logFormat(config), traceFields, copyLine })
      : log;
  telemetry.logFailures(observed);
  return observed;
}

/** What was measured until the end is sent after it. */
const closeWithTelemetry = (opened: OpenedApp, telemetry: Telemetry): OpenedApp => ({
  ...opened,
  close: async () => {
    await opened.close();
    await telemetry.close();
  },
});

const welcome = (service: Service, credentials: string): string =>
  [
    '',
    `  Aliquot serves on ${service.url}`,
    credentials,
    `  Reference: ${service.url}/reference`,
    '',
    '',
  ].join('\n');

/** Shows the keys on a terminal only: elsewhere, output is collected and kept. */
function describeCredentials(credentials: BootstrapCredentials, { DATA_DIR }: Config): string {
  const file = resolve(credentialsFile(DATA_DIR));
  const isShown = process.stdout.isTTY;
  return [
    '',
    `  team              ${credentials.team_id}`,
    ...(isShown ? [`  sandbox key       ${credentials.team_api_key}`] : []),
    `  organization      ${credentials.org_id}`,
    ...(isShown ? [`  management key    ${credentials.management_key}`] : []),
    '',
    isShown
      ? `  The keys are shown only once, and are stored in ${file} (mode 0600).`
      : `  The keys are stored in ${file} (mode 0600).`,
  ].join('\n');
}

/** Prints the URL on a terminal only: elsewhere, output is collected and kept, and with it a way to sign in. */
function announceOwnerUrl(app: App, owner: OwnerUrl): void {
  if (process.stdout.isTTY) process.stdout.write(describeOwnerUrl(owner));
  else if (owner.file !== undefined)
    app.log.info({ file: owner.file }, 'the sign-in URL of the owner is in this file');
}

const describeOwnerUrl = ({ organization, url, file }: OwnerUrl): string =>
  [
    `  The owner of ${stripControlCharacters(organization)} signs in here, once, within 24 hours:`,
    '',
    `  ${url}`,
    '',
    ...(file === undefined ? [] : [`  It is also in ${file} (mode 0600).`, '']),
    '',
  ].join('\n');

const SHUTDOWN_TIMEOUT_MS = 30_000;

/** The first signal finishes running work; a second one, or the timeout, exits immediately. */
function shutDownOnSignal(service: Pick<Service, 'close'>, { log }: BootOptions): void {
  let leaving = false;
  const leave = (signal: string) => {
    if (leaving) process.exit(1);
    leaving = true;
    log.info({ signal }, 'shutting down');
    setTimeout(() => process.exit(1), SHUTDOWN_TIMEOUT_MS).unref();
    service.close().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'shutdown failed');
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => leave(signal));
}
