import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildOpenApi, buildRouteTable } from '../../packages/server/src/route-table.ts';
import { eventCatalog } from '../../packages/server/src/event-catalog.ts';
import type { EventType } from '../../packages/server/src/events/events.ts';
import { ConfigSchema } from '../../packages/server/src/platform/config.ts';
import { authorizationPage } from './authorization-page.ts';
import { configurationPage } from './configuration-page.ts';
import { eventsPage } from './events-page.ts';
import { permissionTable } from './permission-table.ts';
import { rolesPage } from './roles-page.ts';
import { statesPage } from './states-page.ts';

/** Every generated document by its path below the root. */
export async function printDocuments(root: URL): Promise<Record<string, string>> {
  const service = new URL('packages/server/', root);
  await requireWholeCatalog(service);
  return {
    'docs/reference/openapi.json': `${JSON.stringify(sortedPaths(await buildOpenApi(service)), null, 2)}\n`,
    'docs/reference/authorization.md': authorizationPage((await buildRouteTable(service)).routes),
    'docs/reference/roles.md': rolesPage(),
    'packages/dashboard/src/pages/settings/permission-table.json': permissionTable(),
    'docs/reference/states.md': statesPage(),
    'docs/reference/events.md': eventsPage(eventCatalog),
    'docs/reference/configuration.md': configurationPage(ConfigSchema),
  };
}

/** Paths in the order of their names, so that moving a line in compose.ts changes nothing. */
function sortedPaths(document: object): object {
  if (!('paths' in document) || typeof document.paths !== 'object' || document.paths === null)
    return document;
  const paths = Object.entries(document.paths).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { ...document, paths: Object.fromEntries(paths) };
}

/** Fails when an events.ts of a module defines an event, or a list of them, that packages/server/src/event-catalog.ts lacks. */
async function requireWholeCatalog(service: URL): Promise<void> {
  const source = fileURLToPath(new URL('src/', service));
  const files = (await readdir(source, { recursive: true })).filter((name) =>
    /(?:^|[/\\])events\.ts$/.test(name),
  );
  for (const file of files.toSorted()) {
    const module: Record<string, unknown> = await import(pathToFileURL(join(source, file)).href);
    for (const [name, value] of Object.entries(module)) {
      const lacking = [value].flat().find((one) => isEvent(one) && !eventCatalog.includes(one));
      if (isEvent(lacking))
        throw new Error(
          `packages/server/src/event-catalog.ts lacks ${name} of packages/server/src/${file} (${lacking.type})`,
        );
    }
  }
}

const isEvent = (value: unknown): value is EventType =>
  typeof value === 'object' && value !== null && 'type' in value && 'data' in value && 'when' in value;
