import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { useUrlState } from '../../base/url-state.ts';
import { Fields, type FieldSpec } from '../../components/fields.tsx';
import { METHODS, type CollectionMethod, type LabTest } from '../../components/lab-tests.tsx';
import { ErrorNotice, Loading } from '../../components/states.tsx';
import { CollectionStep } from './collection-step.tsx';
import {
  ADDRESS,
  answerKey,
  OPTIONS,
  PERSON,
  PHYSICIAN,
  questionsOf,
  useDraft,
  type AskedQuestion,
  type Demographics,
  type Draft,
} from './draft.ts';
import { PhysicianStep } from './physician-step.tsx';
import { problemOfAnswer, QuestionsStep } from './questions-step.tsx';
import { ReviewStep } from './review-step.tsx';
import { TestStep } from './test-step.tsx';
import { usePlacing } from './use-placing.tsx';
import { UserStep } from './user-step.tsx';
import { indexOf, STEPS, WizardFrame, type StepName } from './wizard-frame.tsx';

type User = components['schemas']['ClientFacingUser'];

interface WizardProps {
  readonly user: User;
  readonly info: Demographics | undefined;
}

export function Wizard({ user, info }: WizardProps) {
  const [{ lab_test_id: labTestId }] = useUrlState();
  const draft = useDraft(user.user_id, info);
  const test = api.useQuery(
    'get',
    '/v3/lab_tests/{lab_test_id}',
    { params: { path: { lab_test_id: labTestId ?? '' } } },
    { enabled: labTestId !== undefined },
  );
  if (labTestId !== undefined && test.isPending) return <Loading />;
  if (test.error) return <ErrorNotice error={test.error} onRetry={() => void test.refetch()} />;
  return <Steps user={user} draft={draft} test={test.data} hasDemographics={info !== undefined} />;
}

interface StepsProps {
  readonly user: User;
  readonly draft: Draft;
  readonly test: LabTest | undefined;
  readonly hasDemographics: boolean;
}

/** The fields that a step checks before it lets the member go on. */
const fieldsOf = (step: StepName, { physicianChoice }: Draft): readonly FieldSpec[] => {
  if (step === 'patient') return [...PERSON, ...ADDRESS];
  if (step === 'physician') return physicianChoice === 'default' ? OPTIONS : [...PHYSICIAN, ...OPTIONS];
  return [];
};

function Steps({ user, draft, test, hasDemographics }: StepsProps) {
  const [url, setUrl] = useUrlState();
  const [isChecked, setChecked] = useState(false);
  const method = METHODS.find(({ value }) => value === url['method'])?.value ?? test?.method ?? 'testkit';
  const questions = questionsOf(test?.markers ?? []);
  const asked = STEPS.find(({ name }) => name === url['step'])?.name ?? (test ? 'questions' : 'test');
  const step = test || indexOf(asked) <= indexOf('test') ? asked : 'test';
  const goTo = (next: StepName) => {
    setChecked(false);
    setUrl({ step: next }, { replace: false });
  };
  const isRight = (name: StepName): boolean => {
    const isAnswered = name !== 'questions' || hasAnswers(questions, draft);
    return draft.form.validate(fieldsOf(name, draft)) && isAnswered;
  };
  /** The first step up to this one that is not complete is opened instead. */
  const advance = () => {
    const wrong = STEPS.slice(0, indexOf(step) + 1).find(({ name }) => !isRight(name));
    const next = STEPS[indexOf(step) + 1];
    if (wrong) goTo(wrong.name);
    setChecked(wrong !== undefined);
    if (!wrong && next) goTo(next.name);
  };
  const placing = usePlacing({ draft, test, method, questions, onProblem: goTo });
  const place = () => {
    const wrong = STEPS.find(({ name }) => !isRight(name));
    if (wrong) {
      goTo(wrong.name);
      setChecked(true);
    } else placing.place();
  };
  const chooseMethod = (next: CollectionMethod) => {
    draft.setVisit(undefined);
    setUrl({ method: next === test?.method ? undefined : next });
  };
  return (
    <WizardFrame step={step} reached={test ? 'review' : 'test'} onStep={goTo}>
      <Stack>
        {step === 'user' && (
          <UserStep
            userId={user.user_id}
            onChoose={(userId) => setUrl({ user_id: userId, step: 'test' }, { replace: false })}
          />
        )}
        {step === 'test' && (
          <TestStep
            labTestId={test?.id}
            onChoose={({ id }) => {
              draft.setVisit(undefined);
              setUrl({ lab_test_id: id, method: undefined, step: 'questions' }, { replace: false });
            }}
          />
        )}
        {step === 'questions' && <QuestionsStep draft={draft} questions={questions} isChecked={isChecked} />}
        {step === 'patient' && <PatientStep draft={draft} user={user} hasDemographics={hasDemographics} />}
        {step === 'physician' && test && <PhysicianStep draft={draft} test={test} />}
        {step === 'collection' && test && (
          <CollectionStep draft={draft} test={test} method={method} onMethod={chooseMethod} />
        )}
        {step === 'review' && test && (
          <ReviewStep draft={draft} test={test} method={method} questions={questions} />
        )}
        {placing.notice}
        <Group justify="space-between">
          <Button
            variant="default"
            disabled={step === 'user' || placing.isPending}
            onClick={() => goTo(STEPS[indexOf(step) - 1]?.name ?? 'user')}
          >
            Back
          </Button>
          {step === 'review' ? (
            <Button onClick={place} loading={placing.isPending}>
              Place order
            </Button>
          ) : (
            indexOf(step) > indexOf('test') && <Button onClick={advance}>Next</Button>
          )}
        </Group>
      </Stack>
    </WizardFrame>
  );
}

const hasAnswers = (questions: readonly AskedQuestion[], draft: Draft): boolean =>
  questions.every((asked) => problemOfAnswer(asked, draft.answers[answerKey(asked)]) === undefined);

interface PatientStepProps {
  readonly draft: Draft;
  readonly user: User;
  readonly hasDemographics: boolean;
}

const PatientStep = ({ draft, user, hasDemographics }: PatientStepProps) => (
  <Stack>
    <Text size="sm">
      {hasDemographics
        ? `Filled in from the demographics of ${user.client_user_id}. Changes here are for this order alone.`
        : `${user.client_user_id} has no demographics yet. What you enter here is for this order alone.`}
    </Text>
    <Fields specs={PERSON} form={draft.form} />
    <Fields specs={ADDRESS} form={draft.form} />
  </Stack>
);
