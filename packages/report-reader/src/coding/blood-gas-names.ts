/** Blood gas analyzers print the symbol of the quantity before the analyte: c for concentration, as in cK+ and cLac. */
const CONCENTRATION =
  /^\s*c(?=(?:K|Na|Cl|Mg)\s?(?:\d\s?)?[+⁺⁻−-]|Ca\s?(?:2\s?[+]|[+]{2}|²⁺)|(?:Glu|Lac|HCO3)\b)/;
/** An ion-selective electrode measures ionized calcium only. */
const IONS = /^\s*cCa\s?(?:2\s?[+]|[+]{2}|²⁺)/;

/** Whether a name is in the notation of a blood gas analyzer, which measures in whole blood without printing it. */
export const isBloodGasName = (name: string): boolean => CONCENTRATION.test(name);

/** Converts the name to common notation: `cK+` is K+, not CK. */
export const toCommonName = (name: string): string =>
  name.replace(IONS, 'ionized calcium ').replace(CONCENTRATION, '');
