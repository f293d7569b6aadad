import type { SeedAoe, SeedQuestion } from '../../packages/server/src/ordering/catalog/seed/schema.ts';

type QuestionDefinition = Pick<SeedQuestion, 'required' | 'value' | 'type' | 'constraint' | 'default'> & {
  readonly no: number;
  readonly answers?: readonly (readonly [code: string, value: string])[];
};

const YES_NO = [
  ['Y', 'Yes'],
  ['N', 'No'],
] as const;
const open = { constraint: null, default: null };

/** Ask-at-order-entry questions. The id derives from the number: never reuse a number. */
// prettier-ignore
const QUESTIONS: Record<string, QuestionDefinition> = {
  FASTING: { no: 1, required: true, type: 'choice', value: 'Is the patient fasting?', ...open, answers: YES_NO },
  FASTING_HOURS: { no: 2, required: false, type: 'numeric', value: 'Hours since the last meal', constraint: '0..72', default: null },
  SPECIMEN_SOURCE: { no: 3, required: true, type: 'choice', value: 'Source of the specimen', ...open, answers: [
    ['URINE', 'Urine'], ['VAGINAL', 'Vagina'], ['CERVICAL', 'Cervix'], ['URETHRAL', 'Urethra'], ['THROAT', 'Throat'], ['RECTAL', 'Rectum'], ['LESION', 'Lesion']] },
  SPECIMEN_DESCRIPTION: { no: 4, required: true, type: 'text', value: 'Describe the source of the specimen', constraint: '1..60', default: null },
  URINE_VOLUME: { no: 5, required: true, type: 'numeric', value: 'Total volume of the collection in mL', constraint: '50..10000', default: null },
  URINE_HOURS: { no: 6, required: true, type: 'numeric', value: 'Collection period in hours', constraint: '1..48', default: '24' },
  HEIGHT: { no: 7, required: true, type: 'numeric', value: 'Height in inches', constraint: '20..96', default: null },
  WEIGHT: { no: 8, required: true, type: 'numeric', value: 'Weight in pounds', constraint: '5..900', default: null },
  GESTATIONAL_AGE: { no: 9, required: true, type: 'numeric', value: 'Gestational age in weeks', constraint: '4..42', default: null },
  FETUSES: { no: 10, required: true, type: 'choice', value: 'Number of fetuses', ...open, answers: [['1', 'One'], ['2', 'Two'], ['3', 'Three or more']] },
  MATERNAL_DIABETES: { no: 11, required: true, type: 'choice', value: 'Did the patient have insulin-dependent diabetes before this pregnancy?', ...open, answers: YES_NO },
  LMP: { no: 12, required: false, type: 'text', value: 'First day of the last menstrual period (YYYY-MM-DD)', constraint: '10..10', default: null },
  DOSE_LEVEL: { no: 13, required: true, type: 'choice', value: 'When was the sample drawn, seen from the dose?', ...open, answers: [['PEAK', 'Peak'], ['TROUGH', 'Trough'], ['RANDOM', 'Random']] },
  LAST_DOSE: { no: 14, required: false, type: 'text', value: 'Date and time of the last dose', constraint: '1..40', default: null },
  MEDICATIONS: { no: 15, required: false, type: 'multi_choice', value: 'Prescribed medications taken in the last 72 hours', constraint: '1..6', default: null, answers: [
    ['OPIOID', 'Opioid'], ['BENZODIAZEPINE', 'Benzodiazepine'], ['STIMULANT', 'Stimulant'], ['ANTIDEPRESSANT', 'Antidepressant'], ['CANNABINOID', 'Cannabinoid'], ['NONE', 'None of these']] },
  BIOTIN: { no: 16, required: false, type: 'choice', value: 'Has the patient taken biotin in the last 72 hours?', ...open, answers: [...YES_NO, ['U', 'Unknown']] },
  SYMPTOMS: { no: 17, required: true, type: 'multi_choice', value: 'Symptoms', constraint: '1..5', default: null, answers: [
    ['FEVER', 'Fever'], ['COUGH', 'Cough'], ['SORE_THROAT', 'Sore throat'], ['BREATHLESS', 'Shortness of breath'], ['NONE', 'No symptoms']] },
  STI_SYMPTOMS: { no: 18, required: false, type: 'multi_choice', value: 'Symptoms', constraint: '1..5', default: null, answers: [
    ['DISCHARGE', 'Discharge'], ['DYSURIA', 'Pain on urination'], ['ITCHING', 'Itching'], ['SORES', 'Sores'], ['NONE', 'No symptoms']] },
  LEAD_PURPOSE: { no: 19, required: true, type: 'choice', value: 'Purpose of the test', ...open, answers: [['INITIAL', 'Initial'], ['REPEAT', 'Repeat'], ['FOLLOW_UP', 'Follow-up']] },
  LEAD_DRAW: { no: 20, required: true, type: 'choice', value: 'How was the blood drawn?', ...open, answers: [['VENOUS', 'Vein'], ['CAPILLARY', 'Finger prick']] },
  EXPOSURE: { no: 21, required: false, type: 'multi_choice', value: 'Known exposure', constraint: '1..4', default: null, answers: [
    ['WORK', 'At work'], ['HOME', 'At home'], ['FOOD', 'Food or water'], ['NONE', 'None known']] },
  ANTICOAGULANT: { no: 22, required: false, type: 'multi_choice', value: 'Anticoagulants taken in the last 7 days', constraint: '1..4', default: null, answers: [
    ['WARFARIN', 'Warfarin'], ['HEPARIN', 'Heparin'], ['DOAC', 'Direct oral anticoagulant'], ['NONE', 'None']] },
  CYCLE_DAY: { no: 23, required: false, type: 'numeric', value: 'Day of the menstrual cycle', constraint: '1..60', default: null },
  MENOPAUSE: { no: 24, required: false, type: 'choice', value: 'Menopausal status', ...open, answers: [['PRE', 'Before'], ['PERI', 'During'], ['POST', 'After'], ['NA', 'Does not apply']] },
  PREGNANT: { no: 25, required: true, type: 'choice', value: 'Is the patient pregnant?', ...open, answers: [...YES_NO, ['U', 'Unknown']] },
  TRAVEL: { no: 26, required: false, type: 'text', value: 'Places visited in the last 6 months', constraint: '0..120', default: null },
  GLUTEN_DIET: { no: 27, required: true, type: 'choice', value: 'Does the patient eat gluten?', ...open, answers: [...YES_NO, ['U', 'Unknown']] },
  ALLERGY_HISTORY: { no: 28, required: false, type: 'multi_choice', value: 'Past reactions', constraint: '1..5', default: null, answers: [
    ['SKIN', 'Skin'], ['BREATHING', 'Breathing'], ['GUT', 'Stomach and gut'], ['ANAPHYLAXIS', 'Anaphylaxis'], ['NONE', 'None']] },
  CONSENT: { no: 29, required: true, type: 'choice', value: 'Has the patient consented to genetic testing?', ...open, answers: YES_NO },
};

const QUESTIONS_PER_LAB = 1_000;
const ANSWERS_PER_QUESTION = 100;

/** The questions of one laboratory. A question has the same id for all markers of that laboratory. */
export function aoeOf(labId: number, codes: readonly string[]): SeedAoe | null {
  if (codes.length === 0) return null;
  return { questions: codes.map((code, at) => question(labId, code, at + 1)) };
}

function question(labId: number, code: string, sequence: number): SeedQuestion {
  const asked = QUESTIONS[code];
  if (!asked) throw new Error(`Unknown question: ${code}`);
  const id = labId * QUESTIONS_PER_LAB + asked.no;
  const answers = (asked.answers ?? []).map(([answer, value], at) => ({
    id: id * ANSWERS_PER_QUESTION + at + 1,
    code: answer,
    value,
  }));
  const { required, value, type, constraint } = asked;
  return { id, required, code, value, type, sequence, answers, constraint, default: asked.default };
}
