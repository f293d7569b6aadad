// `npm start`: finds or makes the build, then serves in this same process, so that signals reach it.
import { openBuild } from './build.mjs';

const { program, isNew } = await openBuild();
// The bundler is a process of its own with 250 MB, which would stay as long as the service.
if (isNew) await (await import('esbuild')).stop();
process.argv.splice(2, 0, 'serve');
await import(program);
