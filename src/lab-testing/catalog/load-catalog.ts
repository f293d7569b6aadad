import type { App } from '../../app.ts';

/** Loads the catalogue that ships with the service into the database, if it is another than the one there. */
export async function seedCatalog(app: Pick<App, 'db' | 'log' | 'root'>): Promise<void> {
  throw new Error(`Not yet: ${app.root.href}`);
}
