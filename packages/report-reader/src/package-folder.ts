import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/**
 * The folder with the data of this package, also when its code is part of a bundle elsewhere. The published service
 * bundles the LOINC search with its data, because this package may be absent there.
 */
export function packageFolder(): URL {
  const bundled = new URL('bundled-report-reader/', import.meta.url);
  if (existsSync(bundled)) return bundled;
  return new URL(
    './',
    pathToFileURL(createRequire(import.meta.url).resolve('aliquot-report-reader/package.json')),
  );
}
