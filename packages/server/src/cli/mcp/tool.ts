import type { z } from 'zod';
import type { ReadApi, SandboxApi } from './assistant-api.ts';

/** The areas of the team API that a tool reads or changes: a key that is restricted to others does not get it. */
type ToolArea = 'users' | 'catalog' | 'orders' | 'results' | 'wearables' | 'events';

interface ToolText {
  /** verb_noun. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly areas: readonly ToolArea[];
}

interface ToolDefinition<I extends z.ZodObject, O extends z.ZodObject, A> extends ToolText {
  readonly input: I;
  readonly output: O;
  readonly run: (api: A, input: z.output<I>) => Promise<z.input<O>>;
}

interface SandboxToolOptions {
  /** Whether a second call with the same arguments changes nothing more. */
  readonly isIdempotent?: true;
  /** Whether the call needs a management key. */
  readonly needsManagementKey?: true;
}

/** A tool as the server offers it. */
export interface AssistantTool extends ToolText, SandboxToolOptions {
  readonly isReadOnly: boolean;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** Throws a ZodError for wrong arguments, and AssistantApiError. */
  call(api: SandboxApi, given: unknown): Promise<Record<string, unknown>>;
}

/** A tool that only reads: its API has nothing but GET. */
export const readTool = <I extends z.ZodObject, O extends z.ZodObject>(
  tool: ToolDefinition<I, O, ReadApi>,
): AssistantTool => ({ ...tool, isReadOnly: true, call: callOf(tool) });

/** A tool that changes something in a sandbox. */
export const sandboxTool = <I extends z.ZodObject, O extends z.ZodObject>(
  tool: ToolDefinition<I, O, SandboxApi> & SandboxToolOptions,
): AssistantTool => ({ ...tool, isReadOnly: false, call: callOf(tool) });

const callOf =
  <I extends z.ZodObject, O extends z.ZodObject>({ input, output, run }: ToolDefinition<I, O, SandboxApi>) =>
  async (api: SandboxApi, given: unknown): Promise<Record<string, unknown>> =>
    output.parse(await run(api, input.parse(given)));
