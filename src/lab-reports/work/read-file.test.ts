import { describe, expect, it } from 'vitest';
import { harmedImage } from '../../../test/lab-reports/degrade.ts';
import { dice } from '../../../test/lab-reports/made.ts';
import { makeCase } from '../../../test/lab-reports/reports.ts';
import { openPdfPictures } from '../ocr/ocr.ts';
import { readFiles } from './read-file.ts';

const PATIENCE_MS = 60_000;

const outcomeOf = async (bytes: Buffer): Promise<string> => {
  const outcome = await readFiles([{ type: 'image/jpeg', bytes }], { tellPage: () => {}, loincCsv: null });
  return 'failed' in outcome ? outcome.failed : `${outcome.read.lines.length} lines`;
};

describe('a picture', { timeout: PATIENCE_MS }, () => {
  it('of a page that can hardly be read is refused as such', async () => {
    const pictures = await openPdfPictures((await makeCase('urineDip', 1)).pdf);
    const { image } = await pictures.picture(1);
    await pictures.close();
    expect(await outcomeOf(await harmedImage(image, { seed: 4, dpi: 50, jpegQuality: 30 }))).toBe(
      'low_quality',
    );
  });

  it('of something else is no report', async () => {
    const roll = dice(3);
    const data = new Uint8Array(400 * 300).map((_, at) => 130 + 60 * Math.sin(at / 4000) + 40 * roll());
    const carpet = await harmedImage({ width: 400, height: 300, data }, { seed: 5, jpegQuality: 70 });
    expect(await outcomeOf(carpet)).toBe('invalid_input');
  });
});
