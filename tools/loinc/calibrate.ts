/** Fits the curve of src/lab-reports/coding/confidence.ts; prints it. `npx tsx tools/loinc/calibrate.ts` */
import { fittingSet, fit, judge } from './calibration.ts';

const sample = fittingSet(1);
const curve = fit(sample);
console.log(JSON.stringify(curve));
for (const band of judge(sample, curve))
  console.log(`${band.from.toFixed(1)}: ${band.count} answers, ${(100 * band.right).toFixed(1)} % right`);
