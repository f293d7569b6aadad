// `npm start`: finds or makes the build, then serves in this process, so that signals reach the service.
import { openBuild } from './build.mjs';

const { program, isNew } = await openBuild();
// esbuild runs in a separate process with 250 MB, which would otherwise live as long as the service.
if (isNew) await (await import('esbuild')).stop();
process.argv.splice(2, 0, 'serve');
await import(program);
