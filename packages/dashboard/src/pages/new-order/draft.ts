import { useState } from 'react';
import type { components } from '../../api/openapi.d.ts';
import {
  fromObject,
  toNested,
  useFields,
  type FieldSpec,
  type FieldsState,
} from '../../components/fields.tsx';
import type { CollectionMethod, LabTest, Marker } from '../../components/lab-tests.tsx';
import { addressFields, PERSON_FIELDS } from '../../components/person-fields.ts';

export type Demographics = components['schemas']['UserInfo'];
export type OrderInput = components['schemas']['CreateOrderRequestCompatibleInput'];
type Question = components['schemas']['Question'];

/** How and when the sample is taken, if it was chosen: a free slot, or a visit at a time that the provider sets. */
export type Visit =
  | {
      readonly kind: 'slot';
      readonly bookingKey: string;
      readonly start: string;
      readonly end: string;
      readonly zone: string | null;
      readonly place: string;
    }
  | { readonly kind: 'request'; readonly provider: string };

export const PERSON: readonly FieldSpec[] = PERSON_FIELDS.map((field) => ({
  ...field,
  name: `patient_details.${field.name}`,
}));

export const ADDRESS: readonly FieldSpec[] = [
  ...addressFields('patient_address'),
  {
    name: 'patient_address.access_notes',
    label: 'How to reach the door',
    hint: 'For couriers and visits',
    isWide: true,
  },
];

const BILLING = [
  { value: 'client_bill', label: 'Your organization' },
  { value: 'patient_bill', label: 'The patient' },
  { value: 'commercial_insurance', label: 'The insurance of the patient' },
  { value: 'patient_bill_passthrough', label: 'The patient, passed through' },
];

/** Of ten digits, as the registry of physicians in the United States gives them. */
const checkNpi = (value: string): string | undefined =>
  /^\d{10}$/.test(value) ? undefined : 'An NPI has ten digits';

// prettier-ignore
export const PHYSICIAN: readonly FieldSpec[] = [
  { name: 'physician.first_name', label: 'First name', isRequired: true },
  { name: 'physician.last_name', label: 'Last name', isRequired: true },
  { name: 'physician.npi', label: 'NPI', isRequired: true, check: checkNpi },
];

// prettier-ignore
export const OPTIONS: readonly FieldSpec[] = [
  { name: 'billing_type', label: 'Who pays', kind: 'select', options: BILLING, isRequired: true },
  { name: 'icd_codes', label: 'Diagnosis codes', hint: 'ICD-10-CM, separated by commas', placeholder: 'E78.5, Z00.00' },
  { name: 'activate_by', label: 'Hold back until', kind: 'date', hint: 'Empty: order now' },
  { name: 'passthrough', label: 'Your reference', hint: 'Comes back with the order and its events' },
  { name: 'clinical_notes', label: 'Comments for the laboratory', kind: 'multiline', isWide: true },
  { name: 'priority', label: 'Ask the laboratory to hurry (STAT)', kind: 'checkbox' },
];

const ALL_FIELDS = [...PERSON, ...ADDRESS, ...PHYSICIAN, ...OPTIONS];

export type PhysicianChoice = 'default' | 'listed' | 'other';

export interface Draft {
  readonly userId: string;
  readonly form: FieldsState;
  readonly physicianChoice: PhysicianChoice;
  readonly setPhysicianChoice: (choice: PhysicianChoice) => void;
  readonly labAccountId: string | null;
  readonly setLabAccountId: (id: string | null) => void;
  /** By the ids of the marker and the question. */
  readonly answers: Readonly<Record<string, string>>;
  readonly setAnswer: (key: string, answer: string) => void;
  readonly visit: Visit | undefined;
  readonly setVisit: (visit: Visit | undefined) => void;
}

/** Everything that is entered lives here, in the memory of the page; the URL has the ids and the step. */
export function useDraft(userId: string, info: Demographics | undefined): Draft {
  const form = useFields(ALL_FIELDS, initialValues(info));
  const [physicianChoice, setPhysicianChoice] = useState<PhysicianChoice>('default');
  const [labAccountId, setLabAccountId] = useState<string | null>(null);
  const [answers, setAnswers] = useState<Readonly<Record<string, string>>>({});
  const [visit, setVisit] = useState<Visit>();
  return {
    userId,
    form,
    physicianChoice,
    setPhysicianChoice,
    labAccountId,
    setLabAccountId,
    answers,
    setAnswer: (key, answer) => setAnswers((before) => ({ ...before, [key]: answer })),
    visit,
    setVisit,
  };
}

const initialValues = (info: Demographics | undefined) => ({
  ...fromObject([...PERSON, ...ADDRESS], {
    patient_details: info ?? {},
    patient_address: info?.address ?? {},
  }),
  'patient_address.country': 'US',
  billing_type: 'client_bill',
});

/** A question of a marker. The same question of two markers is asked, and answered, for each. */
export interface AskedQuestion {
  readonly marker: Pick<Marker, 'id' | 'name'>;
  readonly question: Question;
}

export const questionsOf = (markers: readonly Pick<Marker, 'id' | 'name' | 'aoe'>[]): AskedQuestion[] =>
  markers.flatMap((marker) =>
    (marker.aoe?.questions ?? [])
      .toSorted((one, other) => one.sequence - other.sequence)
      .map((question) => ({ marker, question })),
  );

export const answerKey = ({ marker, question }: AskedQuestion): string => `${marker.id}-${question.id}`;

interface OrderParts {
  readonly draft: Draft;
  readonly test: LabTest;
  readonly method: CollectionMethod;
  readonly questions: readonly AskedQuestion[];
}

/** The request. Another method than that of the lab test is ordered as a set, from which the service makes a test. */
export function toOrder({ draft, test, method, questions }: OrderParts): OrderInput {
  const { form, answers } = draft;
  const {
    patient_details: patient = {},
    patient_address: address = {},
    physician,
    icd_codes: codes,
    ...options
  } = toNested(form.values) as NestedValues;
  const answered = questions.flatMap((asked) => {
    const answer = answers[answerKey(asked)]?.trim() ?? '';
    return answer === '' ? [] : [{ marker_id: asked.marker.id, question_id: asked.question.id, answer }];
  });
  const { phone_number: phone } = patient;
  return {
    ...options,
    user_id: draft.userId,
    ...(method === test.method
      ? { lab_test_id: test.id }
      : { order_set: { lab_test_ids: [test.id] }, collection_method: method }),
    patient_details: patient,
    patient_address: {
      receiver_name: `${patient['first_name'] ?? ''} ${patient['last_name'] ?? ''}`.trim(),
      ...(phone === undefined ? {} : { phone_number: phone }),
      ...address,
    },
    ...(draft.physicianChoice === 'default' ? {} : { physician }),
    ...(draft.labAccountId === null ? {} : { lab_account_id: draft.labAccountId }),
    ...(codes === undefined ? {} : { icd_codes: codes.split(/[\s,;]+/).filter(Boolean) }),
    priority: form.values['priority'] === 'true',
    ...(answered.length === 0 ? {} : { aoe_answers: answered }),
  } as unknown as OrderInput;
}

type Texts = Readonly<Record<string, string>>;

interface NestedValues {
  readonly patient_details?: Texts;
  readonly patient_address?: Texts;
  readonly physician?: Texts;
  readonly icd_codes?: string;
}
