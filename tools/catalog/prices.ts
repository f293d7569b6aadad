/** Price of a single test of this category in US dollars, and its common and worst turnaround time in days. */
interface PriceTerms {
  readonly price: number;
  readonly common: number;
  readonly worst: number;
}

// prettier-ignore
const TERMS: Record<string, PriceTerms> = {
  chemistry:   { price:  9, common: 1, worst:  3 },
  lipid:       { price: 11, common: 1, worst:  3 },
  cardiac:     { price: 34, common: 2, worst:  5 },
  hematology:  { price: 10, common: 1, worst:  2 },
  coagulation: { price: 24, common: 1, worst:  4 },
  blood_bank:  { price: 18, common: 1, worst:  3 },
  endocrine:   { price: 29, common: 2, worst:  4 },
  vitamin:     { price: 38, common: 3, worst:  6 },
  iron:        { price: 14, common: 1, worst:  3 },
  metal:       { price: 42, common: 3, worst:  7 },
  autoimmune:  { price: 36, common: 3, worst:  6 },
  immunology:  { price: 28, common: 2, worst:  5 },
  tumor:       { price: 39, common: 2, worst:  4 },
  drug_level:  { price: 41, common: 2, worst:  5 },
  toxicology:  { price: 32, common: 2, worst:  5 },
  urine:       { price: 10, common: 1, worst:  3 },
  urine_24h:   { price: 26, common: 3, worst:  6 },
  serology:    { price: 33, common: 2, worst:  5 },
  molecular:   { price: 58, common: 3, worst:  6 },
  micro:       { price: 31, common: 3, worst:  6 },
  stool:       { price: 46, common: 4, worst:  8 },
  special:     { price: 64, common: 4, worst:  9 },
  allergy:     { price: 15, common: 3, worst:  6 },
  genetic:     { price: 140, common: 7, worst: 14 },
  cytology:    { price: 72, common: 5, worst: 10 },
  maternal:    { price: 95, common: 3, worst:  7 },
};

export function termsOf(category: string): PriceTerms {
  const terms = TERMS[category];
  if (!terms) throw new Error(`Unknown category: ${category}`);
  return terms;
}

/** A panel costs the price of its first member plus this share of the price for each other member. */
const PART_PRICE_SHARE = 0.2;

export const priceOf = (category: string, parts: number, factor: number): string =>
  (termsOf(category).price * (1 + PART_PRICE_SHARE * (parts - 1)) * factor).toFixed(2);
