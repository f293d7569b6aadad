import { SimpleGrid, Stack, Text } from '@mantine/core';
import { Section } from '../../components/page.tsx';
import { methodName, printPrice, type CollectionMethod, type LabTest } from '../../components/lab-tests.tsx';
import { sentence } from '../../components/person-fields.ts';
import { KeyValues } from '../../components/values.tsx';
import { describeVisit } from './collection-step.tsx';
import { answerKey, toOrder, type AskedQuestion, type Draft } from './draft.ts';

interface ReviewStepProps {
  readonly draft: Draft;
  readonly test: LabTest;
  readonly method: CollectionMethod;
  readonly questions: readonly AskedQuestion[];
}

/** Everything that will be sent, once more in words. */
export function ReviewStep({ draft, test, method, questions }: ReviewStepProps) {
  const order = toOrder({ draft, test, method, questions });
  const { patient_details: patient, patient_address: address, physician } = order;
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Section title="Lab test">
          <KeyValues
            rows={[
              ['Name', test.name],
              ['Laboratory', test.lab?.name],
              ['Price', printPrice(test.price)],
              ['Collection', methodName(method)],
              ['Visit', draft.visit && describeVisit(draft.visit)],
              ['Held back until', order.activate_by],
            ]}
          />
        </Section>
        <Section title="Patient">
          <KeyValues
            rows={[
              ['Name', `${patient.first_name} ${patient.last_name}`],
              ['Birth date', patient.dob],
              ['Gender', patient.gender],
              ['Phone', patient.phone_number],
              ['E-mail', patient.email],
              ['Address', `${address.first_line}, ${address.city}, ${address.state} ${address.zip}`],
            ]}
          />
        </Section>
        <Section title="Order">
          <KeyValues
            rows={[
              [
                'Physician',
                physician
                  ? `${physician.first_name} ${physician.last_name}, NPI ${physician.npi}`
                  : 'Default',
              ],
              ['Who pays', sentence(order.billing_type)],
              ['Diagnosis codes', order.icd_codes?.join(', ')],
              ['Priority', order.priority ? 'STAT' : 'Normal'],
              ['Your reference', order.passthrough],
              ['Comments', order.clinical_notes],
            ]}
          />
        </Section>
        {questions.length > 0 && (
          <Section title="Answers">
            <KeyValues
              rows={questions.map((asked) => [
                asked.question.value,
                printAnswer(asked, draft.answers[answerKey(asked)]),
              ])}
            />
          </Section>
        )}
      </SimpleGrid>
      <Text size="sm">
        Placing sends the order to the laboratory. It can be cancelled until the sample is taken.
      </Text>
    </Stack>
  );
}

function printAnswer({ question }: AskedQuestion, answer: string | undefined): string | undefined {
  if (answer === undefined || answer === '') return undefined;
  if (question.answers.length === 0) return answer;
  return answer
    .split(',')
    .map((code) => question.answers.find((option) => option.code === code)?.value ?? code)
    .join(', ');
}
