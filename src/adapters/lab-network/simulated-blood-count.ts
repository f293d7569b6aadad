import { between, rounded } from './simulated-draw.ts';
import type { Relation } from './simulated-relation.ts';

/** Hemoglobin, and how large and how full a red cell is, make the rest of the red blood count. */
const redCells: Relation = {
  own: ['718-7', '787-2'],
  follow: ['4544-3', '789-8', '785-6', '786-4'],
  solve: ({ own, chance, isFemale }) => {
    const hemoglobin = own('718-7', isFemale ? [12.4, 15.2] : [13.6, 16.1], 1);
    const hematocrit = rounded((hemoglobin / between([32.4, 34.8], chance)) * 100, 1);
    const rbc = rounded((hematocrit / own('787-2', [83, 93], 1)) * 10, 2);
    return {
      '718-7': hemoglobin,
      '4544-3': hematocrit,
      '789-8': rbc,
      '787-2': rounded((hematocrit / rbc) * 10, 0),
      '785-6': rounded((hemoglobin / rbc) * 10, 1),
      '786-4': rounded((hemoglobin / hematocrit) * 100, 1),
    };
  },
};

/** Five kinds of white cells make all of them; each in percent and in thousands. */
const whiteCells: Relation = {
  own: ['6690-2'],
  follow: ['770-8', '736-9', '5905-5', '713-8', '706-2', '751-8', '731-0', '742-7', '711-2', '704-7'],
  solve: ({ own, chance }) => {
    const whole = own('6690-2', [4.4, 8.6], 1);
    const percent = (from: number, to: number) => Math.round(between([from, to], chance));
    const [lymphocytes, monocytes, eosinophils, basophils] = [
      percent(22, 36),
      percent(5, 9),
      percent(1, 4),
      percent(0, 1),
    ];
    const neutrophils = 100 - lymphocytes - monocytes - eosinophils - basophils;
    const absolute = (part: number) => rounded((whole * part) / 100, 1);
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

const reticulocytes: Relation = {
  own: ['17849-1'],
  follow: ['14196-0'],
  solve: ({ own }) => {
    const percent = own('17849-1', [0.8, 2.1], 1);
    return { '17849-1': percent, '14196-0': rounded(percent * own('789-8', [4.3, 5.2], 2) * 10, 0) };
  },
};

/** The reticulocytes rest on the red cells. */
export const BLOOD_COUNT: readonly Relation[] = [redCells, whiteCells, reticulocytes];
