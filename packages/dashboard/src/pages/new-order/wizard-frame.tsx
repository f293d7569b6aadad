import { Paper, Stepper, Text } from '@mantine/core';
import type { ReactNode } from 'react';

export const STEPS = [
  { name: 'user', title: 'User' },
  { name: 'test', title: 'Lab test' },
  { name: 'questions', title: 'Questions' },
  { name: 'patient', title: 'Patient' },
  { name: 'physician', title: 'Physician' },
  { name: 'collection', title: 'Collection' },
  { name: 'review', title: 'Review' },
] as const;

export type StepName = (typeof STEPS)[number]['name'];

export const indexOf = (step: StepName): number => STEPS.findIndex(({ name }) => name === step);

interface WizardFrameProps {
  readonly step: StepName;
  /** The last step that may be opened: what it needs is chosen. */
  readonly reached: StepName;
  readonly onStep: (step: StepName) => void;
  readonly children: ReactNode;
}

export function WizardFrame({ step, reached, onStep, children }: WizardFrameProps) {
  const active = indexOf(step);
  return (
    <>
      <Stepper
        active={active}
        onStepClick={(index) => {
          const next = STEPS[index];
          if (next) onStep(next.name);
        }}
        size="xs"
        visibleFrom="md"
        aria-label="Steps of the order"
      >
        {STEPS.map(({ name, title }, index) => (
          <Stepper.Step key={name} label={title} allowStepSelect={index <= indexOf(reached)} />
        ))}
      </Stepper>
      <Text size="sm" fw={600} hiddenFrom="md">
        Step {active + 1} of {STEPS.length}: {STEPS[active]?.title}
      </Text>
      <Paper p="lg">{children}</Paper>
    </>
  );
}
