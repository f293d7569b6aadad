import type { ReceivedReport } from '../received.ts';
import { readBundle, type FhirReadContext } from './fhir.ts';

/**
 * Returns the bundle without the unwanted reports: only resources that the remaining reports reference are kept.
 * Undefined if no report is left.
 */
export function removeFhirReports(
  given: unknown,
  connection: FhirReadContext,
  isUnwanted: (report: ReceivedReport) => boolean,
): unknown {
  const { resources, groups } = readBundle(given, connection);
  const kept = groups.filter(({ report }) => !isUnwanted(report)).flatMap(({ found }) => found);
  if (kept.length === 0) return undefined;
  const reached = new Set<unknown>(resources.ofType('Account').map(({ body }) => body));
  const waiting = [...kept];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (reached.has(next.body)) continue;
    reached.add(next.body);
    for (const reference of listReferences(next.body)) {
      const other = resources.resolve({ reference }, next);
      // Remaining resources can reference a removed report.
      if (other && other.type !== 'DiagnosticReport') waiting.push(other);
    }
  }
  const { entry } = resources.bundle;
  const sent = Object(given);
  return {
    ...sent,
    entry: entry.flatMap(({ resource }, at) => (reached.has(resource) ? [sent.entry[at]] : [])),
  };
}

/** Every reference in a resource, at any depth. */
function listReferences(thing: unknown): string[] {
  if (typeof thing !== 'object' || thing === null) return [];
  const own = 'reference' in thing && typeof thing.reference === 'string' ? [thing.reference] : [];
  return [...own, ...Object.values(thing).flatMap(listReferences)];
}
