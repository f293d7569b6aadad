import type { KeyGrant } from './assistant-api.ts';
import { DELIVERY_TOOLS } from './delivery-tools.ts';
import { RECORD_TOOLS } from './read-tools.ts';
import { SANDBOX_TOOLS } from './sandbox-tools.ts';
import type { AssistantTool } from './tool.ts';

/** All tools; a server offers those that the keys permit. */
export const ASSISTANT_TOOLS: readonly AssistantTool[] = [
  ...RECORD_TOOLS,
  ...DELIVERY_TOOLS,
  ...SANDBOX_TOOLS,
];

/** The tools that the keys permit. In production, and with a read-only key, those that only read. */
export function permittedTools(
  { environment, limits }: KeyGrant,
  { hasManagementKey }: { hasManagementKey: boolean },
): AssistantTool[] {
  const mayWrite = environment === 'sandbox' && limits?.read_only !== true;
  const areas = limits?.areas;
  return ASSISTANT_TOOLS.filter(
    (tool) =>
      (tool.isReadOnly || mayWrite) &&
      (hasManagementKey || tool.needsManagementKey !== true) &&
      (!areas || tool.areas.every((area) => areas.includes(area))),
  );
}
