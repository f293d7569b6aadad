import { BLOOD_COUNT } from './simulated-blood-count.ts';
import { drawBetween, roundTo } from './simulated-values.ts';
import { estimateFiltrationRate, type AnalyteRelation } from './simulated-relation.ts';

/** Friedewald: LDL = total cholesterol - HDL - triglycerides / 5. */
const lipids: AnalyteRelation = {
  drawn: ['2571-8', '2085-9', '13457-7'],
  derived: ['2093-3', '13458-5', '43396-1', '9830-1', '11054-4', '18262-6'],
  solve: ({ own, chance }) => {
    const triglycerides = own('2571-8', [55, 130], 0);
    const hdl = own('2085-9', [46, 70], 0);
    const vldl = roundTo(triglycerides / 5, 0);
    const ldl = own('13457-7', [58, 96], 0);
    const total = ldl + hdl + vldl;
    return {
      '2571-8': triglycerides,
      '2085-9': hdl,
      '13457-7': ldl,
      '2093-3': total,
      '13458-5': vldl,
      '43396-1': total - hdl,
      '9830-1': roundTo(total / hdl, 1),
      '11054-4': roundTo(ldl / hdl, 1),
      '18262-6': Math.max(1, ldl + Math.round(drawBetween([-3, 3], chance))),
    };
  },
};

const kidneys: AnalyteRelation = {
  drawn: ['2160-0', '3094-0'],
  derived: ['33914-3', '3097-3', '2162-6', '2164-2'],
  solve: (draw) => {
    const { own, chance, isFemale } = draw;
    const creatinine = own('2160-0', isFemale ? [0.62, 0.98] : [0.76, 1.2], 2);
    const ureaNitrogen = own('3094-0', [9, 18], 0);
    const rate = estimateFiltrationRate(creatinine, draw);
    // Excretion in g/day = clearance in mL/min * 1440 min * concentration in mg/dL / 100 / 1000.
    const excreted = roundTo(
      (drawBetween([0.92, 1.08], chance) * Math.min(rate, 112) * creatinine * 14.4) / 1000,
      2,
    );
    return {
      '2160-0': creatinine,
      '3094-0': ureaNitrogen,
      '33914-3': roundTo(rate, 0),
      '3097-3': roundTo(ureaNitrogen / creatinine, 0),
      '2162-6': excreted,
      '2164-2': roundTo((excreted * 1000) / (creatinine * 14.4), 0),
    };
  },
};

/** Sodium = chloride + bicarbonate + anion gap; with glucose and urea it gives the osmolality. */
const electrolytes: AnalyteRelation = {
  drawn: ['2951-2', '2028-9'],
  derived: ['2075-0', '33037-3', '2692-2'],
  solve: ({ own, chance }) => {
    const sodium = own('2951-2', [136, 142], 0);
    const bicarbonate = own('2028-9', [22, 28], 0);
    const chloride = sodium - bicarbonate - Math.round(drawBetween([9, 15], chance));
    const dissolved = own('2345-7', [78, 96], 0) / 18 + own('3094-0', [9, 18], 0) / 2.8;
    return {
      '2951-2': sodium,
      '2028-9': bicarbonate,
      '2075-0': chloride,
      '33037-3': sodium - chloride - bicarbonate,
      '2692-2': roundTo(2 * sodium + dissolved, 0),
    };
  },
};

const FRACTIONS = ['2862-1', '2865-4', '2868-8', '2871-2', '2874-6'] as const;

/** Total protein = albumin + globulins; electrophoresis gives five fractions of it. */
const proteins: AnalyteRelation = {
  drawn: ['1751-7', '2336-6', ...FRACTIONS],
  derived: ['2885-2', '1759-0'],
  solve: ({ own, has }) => {
    const stretches = [
      [3.3, 4.1],
      [0.2, 0.3],
      [0.5, 0.8],
      [0.8, 1.1],
      [0.8, 1.4],
    ] as const;
    const parts = FRACTIONS.map((loinc, at) => own(loinc, stretches[at] ?? [1, 1], 1));
    const isParted = FRACTIONS.some((loinc) => has(loinc));
    const sum = roundTo(
      parts.reduce((all, part) => all + part, 0),
      1,
    );
    const albumin = isParted && !has('1751-7') ? (parts[0] ?? 4) : own('1751-7', [3.9, 4.8], 1);
    const globulin = isParted ? roundTo(sum - albumin, 1) : own('2336-6', [2.2, 3.2], 1);
    return {
      ...Object.fromEntries(FRACTIONS.map((loinc, at) => [loinc, parts[at] ?? 0])),
      '1751-7': albumin,
      '2336-6': globulin,
      '2885-2': isParted ? sum : roundTo(albumin + globulin, 1),
      '1759-0': roundTo(albumin / globulin, 1),
    };
  },
};

const bilirubin: AnalyteRelation = {
  drawn: ['1975-2'],
  derived: ['1968-7', '1971-1'],
  solve: ({ own, chance }) => {
    const total = own('1975-2', [0.4, 1], 1);
    const direct = roundTo(total * drawBetween([0.2, 0.34], chance), 2);
    return { '1975-2': total, '1968-7': direct, '1971-1': roundTo(total - direct, 2) };
  },
};

const iron: AnalyteRelation = {
  drawn: ['2498-4'],
  derived: ['2501-5', '2500-7', '2502-3', '3034-6'],
  solve: ({ own, chance }) => {
    const bound = own('2498-4', [64, 140], 0);
    const free = Math.round(drawBetween([170, 290], chance));
    const capacity = bound + free;
    return {
      '2498-4': bound,
      '2501-5': free,
      '2500-7': capacity,
      '2502-3': roundTo((bound / capacity) * 100, 0),
      '3034-6': roundTo(capacity * 0.8, 0),
    };
  },
};

/** ADAG: the estimated average glucose for an HbA1c. */
const glycation: AnalyteRelation = {
  drawn: ['4548-4'],
  derived: ['27353-2'],
  solve: ({ own }) => {
    const share = own('4548-4', [4.8, 5.5], 1);
    return { '4548-4': share, '27353-2': roundTo(28.7 * share - 46.7, 0) };
  },
};

const testosterone: AnalyteRelation = {
  drawn: ['2986-8', '13967-5'],
  derived: ['2991-8', '15432-8', '24125-7'],
  solve: ({ own, chance, isFemale }) => {
    const total = own('2986-8', isFemale ? [18, 62] : [320, 620], 0);
    const globulin = own('13967-5', isFemale ? [45, 95] : [24, 52], 1);
    // 1 ng/dL = 10 pg/mL; 1 ng/dL of testosterone = 0.0347 nmol/L.
    const free = roundTo(
      total * 10 * drawBetween(total < 150 ? [0.006, 0.019] : [0.0025, 0.0034], chance),
      1,
    );
    return {
      '2986-8': total,
      '13967-5': globulin,
      '2991-8': free,
      '15432-8': roundTo((free / (total * 10)) * 100, 2),
      '24125-7': roundTo((total * 3.47) / globulin, 1),
    };
  },
};

const thyroxine: AnalyteRelation = {
  drawn: ['3026-2', '3050-2'],
  derived: ['32215-6'],
  solve: ({ own }) => {
    const [total, uptake] = [own('3026-2', [6, 10.5], 1), own('3050-2', [26, 36], 0)];
    return { '3026-2': total, '3050-2': uptake, '32215-6': roundTo((total * uptake) / 100, 1) };
  },
};

const clotting: AnalyteRelation = {
  drawn: ['6301-6'],
  derived: ['5902-2'],
  solve: ({ own, chance }) => {
    const ratio = own('6301-6', [0.9, 1.1], 1);
    return { '6301-6': ratio, '5902-2': roundTo(ratio * drawBetween([10.3, 10.9], chance), 1) };
  },
};

const prostate: AnalyteRelation = {
  drawn: ['2857-1'],
  derived: ['10886-0', '12841-3'],
  solve: ({ own, chance }) => {
    const total = own('2857-1', [0.4, 2.2], 1);
    const free = roundTo(total * drawBetween([0.28, 0.44], chance), 2);
    return { '2857-1': total, '10886-0': free, '12841-3': roundTo((free / Math.max(total, 0.1)) * 100, 0) };
  },
};

/** A relation whose third analyte is the ratio of the first two. */
const createRatio = (
  of: readonly [above: string, below: string, ratio: string],
  form: {
    stretches: readonly [readonly [number, number], readonly [number, number]];
    decimals: number;
    times?: number;
  },
): AnalyteRelation => ({
  drawn: [of[0], of[1]],
  derived: [of[2]],
  solve: ({ own }) => {
    const [above, below] = [own(of[0], form.stretches[0], 1), own(of[1], form.stretches[1], 1)];
    const quotient = roundTo((above / below) * (form.times ?? 1), form.decimals);
    return { [of[0]]: above, [of[1]]: below, [of[2]]: quotient };
  },
});

/** In dependency order: a relation comes after those whose values it uses. */
export const RELATIONS: readonly AnalyteRelation[] = [
  ...BLOOD_COUNT,
  lipids,
  kidneys,
  electrolytes,
  proteins,
  bilirubin,
  iron,
  glycation,
  testosterone,
  thyroxine,
  clotting,
  prostate,
  createRatio(['1869-7', '1884-6', '13462-7'], {
    stretches: [
      [120, 180],
      [55, 85],
    ],
    decimals: 2,
  }),
  createRatio(['36916-5', '33944-0', '48378-4'], {
    stretches: [
      [6, 17],
      [9, 22],
    ],
    decimals: 2,
  }),
  createRatio(['14957-5', '2161-8', '14959-1'], {
    stretches: [
      [4, 15],
      [60, 240],
    ],
    decimals: 0,
    times: 100,
  }),
];
