import { Group, MultiSelect, Select, Stack, Text, TextInput } from '@mantine/core';
import { Hint } from '../../components/hint.tsx';
import { answerKey, type AskedQuestion, type Draft } from './draft.ts';

interface QuestionsStepProps {
  readonly draft: Draft;
  readonly questions: readonly AskedQuestion[];
  /** Whether missing answers are marked: not before the member wants to go on. */
  readonly isChecked: boolean;
}

const NUMBER = /^[+-]?\d+(\.\d+)?$/;

/** What is wrong with an answer; the laboratory decides the rest. */
export function problemOfAnswer({ question }: AskedQuestion, answer: string | undefined): string | undefined {
  const text = answer?.trim() ?? '';
  if (text === '')
    return question.required && question.default === null ? 'The laboratory needs an answer' : undefined;
  if (question.type !== 'numeric') return undefined;
  const [, low, high] = /^(\d+)\.\.(\d+)$/.exec(question.constraint ?? '') ?? [];
  const isWithin = low === undefined || (Number(text) >= Number(low) && Number(text) <= Number(high));
  if (NUMBER.test(text) && isWithin) return undefined;
  return low === undefined ? 'This is not a number' : `A number from ${low} to ${high}`;
}

export function QuestionsStep({ draft, questions, isChecked }: QuestionsStepProps) {
  if (questions.length === 0) return <Text size="sm">The laboratory asks nothing for this lab test.</Text>;
  return (
    <Stack maw={520}>
      <Group gap={4}>
        <Text size="sm">The laboratory needs these answers to run or to interpret the test.</Text>
        <Hint term="aoe-question" />
      </Group>
      {questions.map((asked) => (
        <Answer key={answerKey(asked)} asked={asked} draft={draft} isChecked={isChecked} />
      ))}
    </Stack>
  );
}

interface AnswerProps {
  readonly asked: AskedQuestion;
  readonly draft: Draft;
  readonly isChecked: boolean;
}

function Answer({ asked, draft, isChecked }: AnswerProps) {
  const { marker, question } = asked;
  const key = answerKey(asked);
  const value = draft.answers[key] ?? '';
  const options = question.answers.map(({ code, value: label }) => ({ value: code, label }));
  const common = {
    label: question.value,
    description:
      question.default === null ? marker.name : `${marker.name}. Without an answer: ${question.default}`,
    required: question.required && question.default === null,
    error: isChecked || value !== '' ? problemOfAnswer(asked, value) : undefined,
  };
  if (question.type === 'choice')
    return (
      <Select
        {...common}
        data={options}
        value={value === '' ? null : value}
        onChange={(code) => draft.setAnswer(key, code ?? '')}
        clearable
      />
    );
  if (question.type === 'multi_choice')
    return (
      <MultiSelect
        {...common}
        data={options}
        value={value.split(',').filter(Boolean)}
        onChange={(codes) => draft.setAnswer(key, codes.join(','))}
      />
    );
  return (
    <TextInput
      {...common}
      value={value}
      onChange={(event) => draft.setAnswer(key, event.target.value)}
      autoComplete="off"
      inputMode={question.type === 'numeric' ? 'decimal' : 'text'}
    />
  );
}
