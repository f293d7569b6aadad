import { AnalyteSet } from './interpretation/analyte-identity.ts';
import { worstInterpretation } from './interpretation/flags.ts';
import type { StoredReport } from './stored-report.ts';

/**
 * An earlier version without the results that the newest version no longer has: their laboratory withdrew them, perhaps
 * because they are another patient's. They are missing, as in the newest version.
 */
export function hideWithdrawnResults(version: StoredReport, newest: StoredReport): StoredReport {
  const reported = new AnalyteSet(newest.results.map(({ expected }) => expected));
  const results = version.results.filter(({ expected }) => reported.has(expected));
  if (results.length === version.results.length) return version;
  const withdrawn = new AnalyteSet(
    version.results.filter((result) => !results.includes(result)).map(({ expected }) => expected),
  );
  return {
    ...version,
    results,
    missing: [...version.missing, ...newest.missing.filter(({ expected }) => withdrawn.has(expected))],
    interpretation: worstInterpretation(results.map(({ interpretation }) => interpretation)),
  };
}
