import { BLOOD_COUNT } from './simulated-blood-count.ts';
import { between, rounded } from './simulated-draw.ts';
import { filtrationRate, type Relation } from './simulated-relation.ts';

/** Friedewald: LDL is what is left of cholesterol without HDL and a fifth of the triglycerides. */
const lipids: Relation = {
  own: ['2571-8', '2085-9', '13457-7'],
  follow: ['2093-3', '13458-5', '43396-1', '9830-1', '11054-4', '18262-6'],
  solve: ({ own, chance }) => {
    const triglycerides = own('2571-8', [55, 130], 0);
    const hdl = own('2085-9', [46, 70], 0);
    const vldl = rounded(triglycerides / 5, 0);
    const ldl = own('13457-7', [58, 96], 0);
    const total = ldl + hdl + vldl;
    return {
      '2571-8': triglycerides,
      '2085-9': hdl,
      '13457-7': ldl,
      '2093-3': total,
      '13458-5': vldl,
      '43396-1': total - hdl,
      '9830-1': rounded(total / hdl, 1),
      '11054-4': rounded(ldl / hdl, 1),
      '18262-6': Math.max(1, ldl + Math.round(between([-3, 3], chance))),
    };
  },
};

const kidneys: Relation = {
  own: ['2160-0', '3094-0'],
  follow: ['33914-3', '3097-3', '2162-6', '2164-2'],
  solve: (draw) => {
    const { own, chance, isFemale } = draw;
    const creatinine = own('2160-0', isFemale ? [0.62, 0.98] : [0.76, 1.2], 2);
    const ureaNitrogen = own('3094-0', [9, 18], 0);
    const rate = filtrationRate(creatinine, draw);
    // What is cleared is what comes out within a day: 1440 minutes, a gram in 100 mg/dL.
    const excreted = rounded(
      (between([0.92, 1.08], chance) * Math.min(rate, 112) * creatinine * 14.4) / 1000,
      2,
    );
    return {
      '2160-0': creatinine,
      '3094-0': ureaNitrogen,
      '33914-3': rounded(rate, 0),
      '3097-3': rounded(ureaNitrogen / creatinine, 0),
      '2162-6': excreted,
      '2164-2': rounded((excreted * 1000) / (creatinine * 14.4), 0),
    };
  },
};

/** Sodium is balanced by chloride, bicarbonate and a small gap; with glucose and urea it makes the osmolality. */
const electrolytes: Relation = {
  own: ['2951-2', '2028-9'],
  follow: ['2075-0', '33037-3', '2692-2'],
  solve: ({ own, chance }) => {
    const sodium = own('2951-2', [136, 142], 0);
    const bicarbonate = own('2028-9', [22, 28], 0);
    const chloride = sodium - bicarbonate - Math.round(between([9, 15], chance));
    const dissolved = own('2345-7', [78, 96], 0) / 18 + own('3094-0', [9, 18], 0) / 2.8;
    return {
      '2951-2': sodium,
      '2028-9': bicarbonate,
      '2075-0': chloride,
      '33037-3': sodium - chloride - bicarbonate,
      '2692-2': rounded(2 * sodium + dissolved, 0),
    };
  },
};

const FRACTIONS = ['2862-1', '2865-4', '2868-8', '2871-2', '2874-6'] as const;

/** Albumin and globulins make the protein; an electrophoresis tells the same in five parts. */
const proteins: Relation = {
  own: ['1751-7', '2336-6', ...FRACTIONS],
  follow: ['2885-2', '1759-0'],
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
    const sum = rounded(
      parts.reduce((all, part) => all + part, 0),
      1,
    );
    const albumin = isParted && !has('1751-7') ? (parts[0] ?? 4) : own('1751-7', [3.9, 4.8], 1);
    const globulin = isParted ? rounded(sum - albumin, 1) : own('2336-6', [2.2, 3.2], 1);
    return {
      ...Object.fromEntries(FRACTIONS.map((loinc, at) => [loinc, parts[at] ?? 0])),
      '1751-7': albumin,
      '2336-6': globulin,
      '2885-2': isParted ? sum : rounded(albumin + globulin, 1),
      '1759-0': rounded(albumin / globulin, 1),
    };
  },
};

const bilirubin: Relation = {
  own: ['1975-2'],
  follow: ['1968-7', '1971-1'],
  solve: ({ own, chance }) => {
    const total = own('1975-2', [0.4, 1], 1);
    const direct = rounded(total * between([0.2, 0.34], chance), 2);
    return { '1975-2': total, '1968-7': direct, '1971-1': rounded(total - direct, 2) };
  },
};

const iron: Relation = {
  own: ['2498-4'],
  follow: ['2501-5', '2500-7', '2502-3', '3034-6'],
  solve: ({ own, chance }) => {
    const bound = own('2498-4', [64, 140], 0);
    const free = Math.round(between([170, 290], chance));
    const capacity = bound + free;
    return {
      '2498-4': bound,
      '2501-5': free,
      '2500-7': capacity,
      '2502-3': rounded((bound / capacity) * 100, 0),
      '3034-6': rounded(capacity * 0.8, 0),
    };
  },
};

/** ADAG: the average glucose that a share of glycated hemoglobin stands for. */
const glycation: Relation = {
  own: ['4548-4'],
  follow: ['27353-2'],
  solve: ({ own }) => {
    const share = own('4548-4', [4.8, 5.5], 1);
    return { '4548-4': share, '27353-2': rounded(28.7 * share - 46.7, 0) };
  },
};

const testosterone: Relation = {
  own: ['2986-8', '13967-5'],
  follow: ['2991-8', '15432-8', '24125-7'],
  solve: ({ own, chance, isFemale }) => {
    const total = own('2986-8', isFemale ? [18, 62] : [320, 620], 0);
    const globulin = own('13967-5', isFemale ? [45, 95] : [24, 52], 1);
    // A ng/dL is 10 pg/mL; a ng/dL of testosterone is 0.0347 nmol/L.
    const free = rounded(total * 10 * between(total < 150 ? [0.006, 0.019] : [0.0025, 0.0034], chance), 1);
    return {
      '2986-8': total,
      '13967-5': globulin,
      '2991-8': free,
      '15432-8': rounded((free / (total * 10)) * 100, 2),
      '24125-7': rounded((total * 3.47) / globulin, 1),
    };
  },
};

const thyroxine: Relation = {
  own: ['3026-2', '3050-2'],
  follow: ['32215-6'],
  solve: ({ own }) => {
    const [total, uptake] = [own('3026-2', [6, 10.5], 1), own('3050-2', [26, 36], 0)];
    return { '3026-2': total, '3050-2': uptake, '32215-6': rounded((total * uptake) / 100, 1) };
  },
};

const clotting: Relation = {
  own: ['6301-6'],
  follow: ['5902-2'],
  solve: ({ own, chance }) => {
    const ratio = own('6301-6', [0.9, 1.1], 1);
    return { '6301-6': ratio, '5902-2': rounded(ratio * between([10.3, 10.9], chance), 1) };
  },
};

const prostate: Relation = {
  own: ['2857-1'],
  follow: ['10886-0', '12841-3'],
  solve: ({ own, chance }) => {
    const total = own('2857-1', [0.4, 2.2], 1);
    const free = rounded(total * between([0.28, 0.44], chance), 2);
    return { '2857-1': total, '10886-0': free, '12841-3': rounded((free / Math.max(total, 0.1)) * 100, 0) };
  },
};

/** One of them divided by the other. */
const ratio = (
  of: readonly [above: string, below: string, ratio: string],
  form: {
    stretches: readonly [readonly [number, number], readonly [number, number]];
    decimals: number;
    times?: number;
  },
): Relation => ({
  own: [of[0], of[1]],
  follow: [of[2]],
  solve: ({ own }) => {
    const [above, below] = [own(of[0], form.stretches[0], 1), own(of[1], form.stretches[1], 1)];
    const quotient = rounded((above / below) * (form.times ?? 1), form.decimals);
    return { [of[0]]: above, [of[1]]: below, [of[2]]: quotient };
  },
});

/** In this order: who rests on a value of another comes after it. */
export const RELATIONS: readonly Relation[] = [
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
  ratio(['1869-7', '1884-6', '13462-7'], {
    stretches: [
      [120, 180],
      [55, 85],
    ],
    decimals: 2,
  }),
  ratio(['36916-5', '33944-0', '48378-4'], {
    stretches: [
      [6, 17],
      [9, 22],
    ],
    decimals: 2,
  }),
  ratio(['14957-5', '2161-8', '14959-1'], {
    stretches: [
      [4, 15],
      [60, 240],
    ],
    decimals: 0,
    times: 100,
  }),
];
