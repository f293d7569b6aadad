import { normalizeWords } from '../text-normalization.ts';

const GESTATION =
  /^(?:semanas?|sem|weeks?|wks?|ssw|schwangerschafts\p{L}*|settiman[ae]|semaines?|sa|gestac\p{L}*|gestat\p{L}*|gestaz\p{L}*|gravid\p{L}*|grossesse|enceintes?|pregnan\p{L}*|embaraz\p{L}*|gestant\p{L}*|schwanger\p{L}*|trimest\p{L}*|trimenon|dum|fum|lmp)$/u;

/** Words of sex, age, phase and grade, and those that join them. */
const OTHER =
  /^(?:idade|edad|age|alter|eta|meses|mes|months?|mois|monate?|mesi|days?|dias?|tage|jours?|giorni|anos?|years?|yrs?|jahre|ans|anni|adult\p{L}*|erwachsene?|homens?|hombres?|mulher\p{L}*|mujer\p{L}*|males?|females?|men|women|hommes?|femmes?|manner|frauen|uomini|donne|masculino|feminino|femenino|fase|phase|folicul\p{L}*|follic\p{L}*|follik\p{L}*|lut\p{L}*|ovulat\p{L}*|ovulac\p{L}*|menopaus\p{L}*|postmenopaus\p{L}*|posmenopaus\p{L}*|premenopaus\p{L}*|pre|pos|post|pico|meio|mitad|mid|ciclo|cycle|nao|no|not|non|nicht|recem|recien|nascid\p{L}*|nacid\p{L}*|crianca\p{L}*|nin[oa]s?|children|kinder|infants?|newborn\p{L}*|normal|normais|normales|de|da|do|das|dos|del|des|der|of|to|a|e|y|o|os|as|la|las|los|the|em|en|in|desde|apos|after|ultima|menstruac\p{L}*|periodo|tempo|tiempo|\d{1,3}[aoº°ª]?)$/u;

const wordsOf = (text: string): string[] =>
  normalizeWords(text)
    .split(' ')
    .filter((word) => word !== '');

/** Whether a text only names the patients or the time that a range applies to: "Gestantes", "1o trimestre", "Fase lútea". */
export const isScope = (text: string): boolean =>
  wordsOf(text).every((word) => GESTATION.test(word) || OTHER.test(word));

/** Whether a text names a week or another part of pregnancy. */
export const isGestational = (text: string): boolean => wordsOf(text).some((word) => GESTATION.test(word));
