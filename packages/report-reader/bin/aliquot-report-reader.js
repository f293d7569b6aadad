#!/usr/bin/env node
// Runs the command from the build of these sources, which is made if it is not there.
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { openBuild } from '../../../tools/build.mjs';

const { folder, isNew } = await openBuild();
// esbuild runs in a separate process, which would otherwise keep this one alive.
if (isNew) await (await import('esbuild')).stop();
await import(pathToFileURL(join(folder, 'report-reader.js')).href);
