import { fileURLToPath } from 'node:url';

/** The checkout that this file is part of. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Holds the builds, each in a folder of its own; within the package of the service, whose data a build finds. */
export const DIST = fileURLToPath(new URL('../../packages/server/dist/', import.meta.url));
