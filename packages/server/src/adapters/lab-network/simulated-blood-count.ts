import { drawBetween, roundTo } from './simulated-values.ts';
import type { AnalyteRelation } from './simulated-relation.ts';

/** The red blood count is derived from hemoglobin, cell volume and hemoglobin concentration. */
const redCells: AnalyteRelation = {
  drawn: ['718-7', '787-2'],
  derived: ['4544-3', '789-8', '785-6', '786-4'],
  solve: ({ own, chance, isFemale }) => {
    const hemoglobin = own('718-7', isFemale ? [12.4, 15.2] : [13.6, 16.1], 1);
    const hematocrit = roundTo((hemoglobin / drawBetween([32.4, 34.8], chance)) * 100, 1);
    const rbc = roundTo((hematocrit / own('787-2', [83, 93], 1)) * 10, 2);
    return {
      '718-7': hemoglobin,
      '4544-3': hematocrit,
      '789-8': rbc,
      '787-2': roundTo((hematocrit / rbc) * 10, 0),
      '785-6': roundTo((hemoglobin / rbc) * 10, 1),
      '786-4': roundTo((hemoglobin / hematocrit) * 100, 1),
    };
  },
};

/** Five kinds of white cells sum to the total; each in percent and in thousands. */
const whiteCells: AnalyteRelation = {
  drawn: ['6690-2'],
  derived: ['770-8', '736-9', '5905-5', '713-8', '706-2', '751-8', '731-0', '742-7', '711-2', '704-7'],
  solve: ({ own, chance }) => {
    const whole = own('6690-2', [4.4, 8.6], 1);
    const percent = (from: number, to: number) => Math.round(drawBetween([from, to], chance));
    const [lymphocytes, monocytes, eosinophils, basophils] = [
      percent(22, 36),
      percent(5, 9),
      percent(1, 4),
      percent(0, 1),
    ];
    const neutrophils = 100 - lymphocytes - monocytes - eosinophils - basophils;
    const absolute = (part: number) => roundTo((whole * part) / 100, 1);
    return {
      '6690-2': whole,
      '770-8': neutrophils,
      '736-9': lymphocytes,
      '5905-5': monocytes,
      '713-8': eosinophils,
      '706-2': basophils,
      '751-8': absolute(neutrophils),
      '731-0': absolute(lymphocytes),
      '742-7': absolute(monocytes),
      '711-2': absolute(eosinophils),
      '704-7': absolute(basophils),
    };
  },
};

const reticulocytes: AnalyteRelation = {
  drawn: ['17849-1'],
  derived: ['14196-0'],
  solve: ({ own }) => {
    const percent = own('17849-1', [0.8, 2.1], 1);
    return { '17849-1': percent, '14196-0': roundTo(percent * own('789-8', [4.3, 5.2], 2) * 10, 0) };
  },
};

/** Reticulocytes depend on the red cells, so they come after them. */
export const BLOOD_COUNT: readonly AnalyteRelation[] = [redCells, whiteCells, reticulocytes];
