// `npm start`: bundles, then serves in this same process, so that signals reach it.
import { bundle } from './build.mjs';

await bundle();
process.argv.splice(2, 0, 'serve');
await import('../dist/aliquot.js');
