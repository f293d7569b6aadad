import { normalizeWords, parsePhrases } from '../text-normalization.ts';

const toWordSet = (list: string): ReadonlySet<string> => new Set(parsePhrases(list).map(normalizeWords));

/** Titles before a name that imply the sex. */
const FEMALE = toWordSet(
  'mrs, ms, miss, frau, fr, sra, srta, senora, senorita, dona, mme, mlle, madame, mademoiselle, sig ra, sigra, signora, smt, kumari, mevr, mevrouw, fru, doamna, dna, d a, sr a, gentma, gent ma, gentilissima, exma, senhora, nina',
);
const MALE = toWordSet(
  'mr, master, herr, herrn, hr, sr, senor, don, monsieur, m, sig, signor, shri, sri, dhr, domnul, exmo, senhor, egregio, nino',
);
/** Academic titles, of physicians and patients. */
const ACADEMIC = toWordSet(
  'dr, dra, prof, med, dott, dottssa, dott ssa, drs, phd, dr med,  doz, pd, habil, professor, doctor, docteur, doktor, lic, qfb, qcb, tm, dmd, dre, drs, dres, apr, pharm, docteure',
);
/** Titles that do not imply a sex. */
const OTHER = toWordSet(
  'mx, baby, dipl, ing, mag, dipl ing, univ, priv, bebe, egr, gent, gentile, gent le, spett, spett le, d',
);

export const isFemaleTitle = (word: string): boolean => FEMALE.has(normalizeWords(word));
export const isMaleTitle = (word: string): boolean => MALE.has(normalizeWords(word));
export const isAcademicTitle = (word: string): boolean => ACADEMIC.has(normalizeWords(word));

/** Titles that are also names of some people. */
const AMBIGUOUS = toWordSet(
  'don, dona, sri, shri, ing, mag, baby, fr, m, d, miss, lic, med, master, sig, kumari, fru, tm',
);
export const isAmbiguousTitle = (word: string): boolean => AMBIGUOUS.has(normalizeWords(word));

/** Titles of one letter, which are initials in other languages: don, and ciudadana. */
export const isSpanishTitle = (word: string): boolean => /^(?:D|C)\.$/.test(word);

export const isTitle = (word: string): boolean =>
  isFemaleTitle(word) || isMaleTitle(word) || isAcademicTitle(word) || OTHER.has(normalizeWords(word));

/** Particles of family names that may be in lower case. */
const PARTICLES = toWordSet(
  'de, del, da, do, dos, das, di, von, vom, van, der, den, ter, ten, la, las, le, los, lo, y, e, bin, binti, bint, al, el, ibn, zu, zum, zur, af, av, du, des, dalla, della, dello, degli, dei, delle, san, abu, ap, mac, ben, ould, st, d, i, het, op, te, und, af, auf',
);
export const isParticle = (word: string): boolean => PARTICLES.has(normalizeWords(word));

/** Words that end a name: parent or spouse, and name at birth. */
const RELATIONS =
  /^(?:[sdwcf][/∕]o\.?|n[ée]e?|geb\.?|geborene?r?|nata|nato|ne\(e\)|born|aka|alias|dit|dite)$/iu;
export const isRelation = (word: string): boolean => RELATIONS.test(word);

/** Credentials after the names of physicians. */
const CREDENTIALS =
  /^(?:m\.?d|d\.?o|r\.?n|n\.?p|p\.?a|p\.?a-?c|f\.?n\.?p|a\.?r\.?n\.?p|a\.?p\.?r\.?n|ph\.?d|mbbs|m\.?b\.?b\.?s|frc\w+|mrc\w+|fmh|ccfp|facp|d\.?d\.?s|mt|ascp|pharm\.?d|fcap|dnb|dcp|msc)\.?$/iu;
export const isCredential = (word: string): boolean => CREDENTIALS.test(word);

/** Header words that are capitalized like names. */
const NOT_NAMES =
  toWordSet(`report, reports, result, results, laboratory, laboratories, lab, labs, information, details, data, demographics, name, patient, test, tests, testing, date, time, status, final, preliminary, partial, corrected, complete, completed, number, no, id, age, sex, gender, male, female, unknown, confidential, anonymous, address, street, road, avenue, ave, drive, suite, floor, phone, telephone, fax, email, hospital, clinic, centre, center, medical, health, healthcare, pathology, diagnostics, diagnostic, department, dept, service, services, university, collected, received, reported, printed, ordered, requested, physician, doctor, provider, practice, surgery, insurance, account, client, reference, range, interval, units, unit, value, flag, comment, comments, note, notes, blood, serum, plasma, urine, stool, whole, edta, fasting, yes, not, none, self, routine, urgent, stat, summary, chemistry, haematology, hematology, biochemistry, immunology, microbiology, serology, panel, profile, collection, january, february, july, september, october, november, december, monday, tuesday, wednesday, thursday, friday, saturday, sunday, limited, ltd, llc, inc, gmbh, ag, pvt, plc, corp, corporation, company, group, trust, nhs, foundation, registered, accredited, nabl, iso, director, technologist, pathologist, consultant, tel, web, www, previous, current, history, portal, chart, record, records, my, your, view, home, messages, appointments, billing, account, sign, out, print, download, share, room, bed, outpatient, inpatient, type, source, location, site, order, orders, requisition, accession, verified, authorised, authorized, electronic, electronically, signature, copy, original, duplicate, end, continued, investigation, investigations, method, analysis, analyses, analyte, parameter, component, description, clinical, biological, observed, normal, abnormal, high, critical, positive, negative, to, for, by, of, the, and, from, with, is, at, in, on, or, as, your,
  informe, resultado, resultados, laboratorio, laboratorios, paciente, datos, nombre, fecha, edad, sexo, masculino, femenino, hombre, mujer, sangre, suero, orina, medico, hospital, clinica, clinico, clinicos, analisis, servicio, centro, examen, examenes, estudio, estudios, pagina, calle, avenida, avda, telefono, direccion, particular, valores, referencia, unidades, hematologia, bioquimica, quimica, hemograma, corresponda, quien, urgencias, salud, universidad, ciudad, sociedad, sede, solicitante, urgente, rutina, privado, privada, definitivo, ambulatorio,
  rapport, resultat, resultats, laboratoire, laboratoires, nom, prenom, naissance, sexe, homme, femme, masculin, feminin, prelevement, analyse, analyses, biologie, medicale, medical, medecin, biologiste, biologistes, service, centre, hospitalier, hopital, clinique, cabinet, rue, boulevard, tel, sang, urines, compte, rendu, examens, examen, valeurs, usuelles, selas, selarl, date, edition, dossier, domicile, urgence, pole, hematologie, biochimie, bilan,
  befund, laborbefund, befundbericht, endbefund, teilbefund, bericht, labor, labore, laboratorium, medizinisches, medizinische, patientin, patienten, patientendaten, geburtsdatum, geschlecht, mannlich, weiblich, divers, auftrag, auftraggeber, eingang, ausgang, entnahme, abnahme, datum, seite, strasse, praxis, gemeinschaftspraxis, klinik, klinikum, krankenhaus, spital, institut, arzt, arztin, arzte, facharzt, fachaerzte, mvz, zentrum, einsender, analyse, untersuchung, ergebnis, einheit, referenzbereich, normbereich, blut, urin, hamatologie, privat, kasse, station, ambulanz, abteilung, telefon, telefax, parameter, kopie, material, allgemeinmedizin, innere, medizin, damen, herren, kollegen, kollege, kollegin, sehr, geehrte, geehrter, krankheit, unfall,
  referto, referti, esame, esami, laboratorio, paziente, cognome, nascita, sesso, maschio, femmina, maschile, femminile, prelievo, accettazione, medico, ospedale, azienda, sanitaria, unita, servizio, dipartimento, via, viale, piazza, pagina, sangue, siero, urine, valori, riferimento, direttore, analisi, cliniche, ematologia, esterni, esterno, privato, poliambulatorio, centro,
  laudo, exame, exames, resultado, paciente, nome, nascimento, sexo, masculino, feminino, coleta, sangue, soro, urina, medico, hospital, clinica, clinicas, analises, laboratorio, unidade, convenio, rua, avenida, pagina, valores, referencia, material, metodo, responsavel, tecnico, particular, saude, utente, posto, plano, hemograma`);

/** Whether a header word is not a person name, as far as the word list tells. */
export const isNonNameWord = (word: string): boolean => NOT_NAMES.has(normalizeWords(word));
