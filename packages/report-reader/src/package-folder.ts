import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** The folder of this package, also when its code is part of a bundle elsewhere. */
export const packageFolder = (): URL =>
  new URL('./', pathToFileURL(createRequire(import.meta.url).resolve('aliquot-report-reader/package.json')));
