// `npm run pack`: writes the two packages that are published, aliquot and aliquot-report-reader, to dist/.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { stop } from 'esbuild';
import { ROOT } from '../builds/paths.mjs';
import { stageReportReader } from './report-reader.mjs';
import { stageServer } from './server.mjs';

const target = join(ROOT, 'dist');
mkdirSync(target, { recursive: true });

const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

for (const folder of [await stageServer(), await stageReportReader()]) {
  const said = execFileSync('npm', ['pack', '--json', '--pack-destination', target], {
    cwd: folder,
    encoding: 'utf8',
  });
  const [{ filename, size, unpackedSize, entryCount }] = Object.values(JSON.parse(said));
  process.stdout.write(
    `dist/${filename}: ${megabytes(size)} MB, ${entryCount} files, ${megabytes(unpackedSize)} MB unpacked\n`,
  );
}
// esbuild runs in a separate process, which would otherwise keep this one alive.
await stop();
