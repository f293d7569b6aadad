import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';

const FOLDER = join(import.meta.dirname, 'snapshots');

/** `SNAPSHOTS=write npx vitest run packages/dashboard/test/snapshots.test.ts` takes the pictures of now as right. */
const isWriting = process.env['SNAPSHOTS'] === 'write';

/** How much two colors may differ, from 0 to 1: another version of the browser smooths edges in another way. */
const COLOR_TOLERANCE = 0.2;
/** The part of all pixels that may differ. A missing button is more than this. */
const PIXEL_TOLERANCE = 0.001;

let folderOfDifferences: Promise<string> | undefined;

/** Compares a picture with the one of that name. Returns what is wrong, with the places of the pictures. */
export async function compareWithSnapshot(name: string, taken: Buffer): Promise<string | undefined> {
  const file = join(FOLDER, `${name}.png`);
  const actual = PNG.sync.read(taken);
  if (isWriting) {
    await mkdir(FOLDER, { recursive: true });
    await writeFile(file, compress(actual));
    return undefined;
  }
  if (!existsSync(file)) return `${name}: there is no snapshot; write it with SNAPSHOTS=write`;
  const expected = PNG.sync.read(await readFile(file));
  const { width, height } = expected;
  if (actual.width !== width || actual.height !== height)
    return `${name}: ${actual.width} × ${actual.height} pixels instead of ${width} × ${height}`;
  const difference = new PNG({ width, height });
  const options = { threshold: COLOR_TOLERANCE };
  const count = pixelmatch(actual.data, expected.data, difference.data, width, height, options);
  if (count <= width * height * PIXEL_TOLERANCE) return undefined;
  folderOfDifferences ??= mkdtemp(join(tmpdir(), 'aliquot-snapshots-'));
  const place = join(await folderOfDifferences, name);
  await writeFile(`${place}.actual.png`, taken);
  await writeFile(`${place}.difference.png`, PNG.sync.write(difference));
  return `${name}: ${count} pixels differ: see ${place}.actual.png and ${place}.difference.png`;
}

/** Without the alpha channel, which a page does not have. */
const compress = (picture: PNG): Buffer =>
  PNG.sync.write(picture, { colorType: 2, inputHasAlpha: true, deflateLevel: 9, filterType: -1 });
