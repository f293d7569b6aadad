import { type DayOrder, findProvenDayOrders, readDate } from '../dates.ts';
import { findPrintedDayOrders } from '../printed-day-order.ts';
import type { Language, ReportPage } from '../report-model.ts';

/** A CLIA number is the license of a US laboratory; "Method: CLIA" is a chemiluminescent immunoassay. */
const AMERICAN =
  /\bCLIA\b(?=\W{0,3}(?:(?:ID|No|Num\w*|Lic\w*|Cert\w*|Reg\w*|[a-z]+ed)\b|#|\d\dD))|\b\d\dD\d{7}\b|\bNPI\b|\b[A-Z]{2},? \d{5}(?:-\d{4})?\b|\(\d{3}\) ?\d{3}-\d{4}|\b1-8\d\d-\d{3}-\d{4}|\b(?:EST|EDT|CST|CDT|PST|PDT|MST)\b|\bHIPAA\b|\bzip\b/;
/** US legal forms that other countries use too. */
const AMERICAN_COMPANY = /\b(?:LLC|Inc)\b\.?/;
const ELSEWHERE =
  /\b(?:nhs|haemoglobin|haematology|uhid|pvt|nabl|gp practice|serum urea|u&e|fbc|iso 15189|ukas|nata|sanas|ltd|plc|vat|hpcsa|gst|pte|medicare no|dha|haad|bio(?:logical)?\.? ref|lakhs?|crores?|mbbs|postcode|eircode)\b|\bu\.a\.e\b|\+(?!1\b|63\b)\d{2,3}[ -]/i;

/**
 * Infers whether day or month comes first in ambiguous dates; undefined without any evidence, or if the report
 * contradicts itself. Unambiguous dates and printed forms ("DD/MM/YYYY") decide, then the order in which the dates are
 * close together, then language and country.
 */
export function inferDayOrder(pages: readonly ReportPage[], language: Language | null): DayOrder | undefined {
  const texts = pages.flatMap((page) => page.words.map((word) => word.text));
  const isOfStates = isAmericanReport(texts.join(' '), language);
  const shown = findShownDayOrders(texts, { doPointsProve: !isOfStates });
  if (shown.size > 0) return shown.size === 1 ? [...shown][0] : undefined;
  if (language !== null && language !== 'en') return 'dmy';
  const near = findClosestOrder(texts);
  if (near) return near;
  const all = texts.join(' ');
  const named = readNamedMonths(all);
  if (named) return named;
  const isElsewhere = ELSEWHERE.test(all);
  const isAmerican = AMERICAN.test(all) || (!isElsewhere && AMERICAN_COMPANY.test(all));
  if (isAmerican !== isElsewhere) return isAmerican ? 'mdy' : 'dmy';
  return undefined;
}

/** Whether an English report names a US license, address or telephone number, and nothing of another country. */
const isAmericanReport = (all: string, language: Language | null): boolean =>
  (language === null || language === 'en') && AMERICAN.test(all) && !ELSEWHERE.test(all);

/** The orders that a report shows: by dates that can be read only one way, or by the printed form of its dates. */
export function findShownDayOrders(
  texts: readonly string[],
  { doPointsProve }: { doPointsProve: boolean },
): Set<DayOrder> {
  const printed = findPrintedDayOrders(texts.join(' '));
  const proven = findProvenDayOrders(texts, { doPointsProve: doPointsProve && printed.length === 0 });
  return new Set([...proven, ...printed]);
}

/** "Mar 3, 2024" and "3 Mar 2024" suggest the order of numeric dates, too. */
function readNamedMonths(all: string): DayOrder | undefined {
  const monthFirst =
    /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\p{Ll}*\.? \d{1,2}, \d{4}\b/iu.test(all);
  const dayFirst =
    /\b\d{1,2}[ -](?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\p{Ll}*\.?[ -]\d{4}\b/iu.test(all);
  if (monthFirst === dayFirst) return undefined;
  return monthFirst ? 'mdy' : 'dmy';
}

const DAY_MS = 86_400_000;
/** A sample is collected, received and reported within this many days; in the wrong order these become months. */
const NEAR_DAYS = 12;
const FAR_DAYS = 25;

/** The order in which the dates of the newest year are close together, if the other one spreads them. */
function findClosestOrder(texts: readonly string[]): DayOrder | undefined {
  const dates = texts.filter((text) => /^\(?\d{1,2}[/-]\d{1,2}[/-](?:\d{4}|\d{2})\b/.test(text));
  const spread = { dmy: measureSpread(dates, 'dmy'), mdy: measureSpread(dates, 'mdy') };
  if (spread.dmy <= NEAR_DAYS && spread.mdy >= FAR_DAYS) return 'dmy';
  if (spread.mdy <= NEAR_DAYS && spread.dmy >= FAR_DAYS) return 'mdy';
  return undefined;
}

function measureSpread(texts: readonly string[], order: DayOrder): number {
  const dates = texts.flatMap((text) => readDate(text, order)?.date ?? []);
  const newest = Math.max(...dates.map(({ year }) => year));
  const times = dates
    .filter(({ year }) => year === newest)
    .map(({ year, month, day }) => Date.UTC(year, month - 1, day));
  return times.length === 0 ? 0 : (Math.max(...times) - Math.min(...times)) / DAY_MS;
}
