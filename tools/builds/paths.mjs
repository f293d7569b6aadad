import { fileURLToPath } from 'node:url';

/** The checkout that this file is part of. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Holds the builds, each in a folder of its own. */
export const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));
