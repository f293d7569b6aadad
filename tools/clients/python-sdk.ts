import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Json, Sdk, SdkCall, SdkKey } from './sdk.ts';

const PROGRAM = fileURLToPath(new URL('python_sdk.py', import.meta.url));

const CallShape = z.object({
  method: z.string(),
  positional: z.array(z.json()),
  named: z.record(z.string(), z.json()),
});
const Description = z.object({
  name: z.string(),
  version: z.string(),
  methods: z.array(z.string()),
  examples: z.array(CallShape),
});
const Outcome = z.union([
  z.object({ ok: z.literal(true) }),
  z.object({ ok: z.literal(false), reason: z.string() }),
]);

/**
 * Starts a process that has loaded a Python SDK from a checkout of its source. PYTHON names the interpreter; it needs
 * what the SDK needs (httpx and pydantic).
 */
export async function openPythonSdk(folder: string, { apiKey }: SdkKey): Promise<Sdk> {
  const python = process.env['PYTHON'] ?? 'python3';
  const child = spawn(python, [PROGRAM, folder, apiKey], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => {
    const { value, done } = await lines.next();
    if (done)
      throw new Error(`${python} has ended: it needs httpx and pydantic. PYTHON names another interpreter`);
    return JSON.parse(value);
  };
  const described = Description.parse(await next());
  return {
    ...described,
    examples: described.examples as SdkCall[],
    isCamelCase: false,
    call: async (baseUrl, call) => {
      child.stdin.write(`${JSON.stringify({ baseUrl, ...call } satisfies Record<string, Json>)}\n`);
      return Outcome.parse(await next());
    },
    close: async () => {
      child.stdin.end();
      await new Promise((resolve) => child.once('exit', resolve));
    },
  };
}
