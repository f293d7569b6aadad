/** Fits the curve in packages/report-reader/src/coding/confidence.ts and prints it: `npx tsx tools/loinc/calibrate.ts` */
import { sampleAnswers, fitCurve, accuracyByBand } from './calibration.ts';

const sample = sampleAnswers(1);
const curve = fitCurve(sample);
console.log(JSON.stringify(curve));
for (const band of accuracyByBand(sample, curve))
  console.log(`${band.from.toFixed(1)}: ${band.count} answers, ${(100 * band.right).toFixed(1)} % right`);
