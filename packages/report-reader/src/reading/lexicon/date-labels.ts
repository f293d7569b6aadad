import { normalizeWords, parsePhrases } from '../text-normalization.ts';

/** The event that a date label refers to. */
export type HeaderDateKind = 'dob' | 'collected' | 'reported' | 'printed' | 'received';

/**
 * Words of date labels by language: "Date/Time of Sample Collection" has one significant word, and fillers. `weak`
 * words are significant only with a time filler and without another significant word: "Report date", not "Report".
 */
// prettier-ignore
const DATE_WORDS: readonly (readonly [language: string, moment: HeaderDateKind, strong: string, weak?: string])[] = [
  ['en', 'dob',       'dob, birth, birthdate, birthday, born, birthdt'],
  ['en', 'collected', 'collected, collection, coll, drawn, draw, sampled, sampling, obtained, taken, venipuncture, extracted, extraction', 'sample, specimen, service'],
  ['en', 'reported',  'reported, reporting, released, release, resulted, signed, certified, created, signoff, updated, authorised, authorized, validated, validation, approved, finalised, finalized, finaled, issued, issue, completed, completion, verified, out, rptd, authorisation, authentication, authenticated', 'report, result, results, final, rep, rpt, res'],
  ['en', 'printed',   'printed, print, printout, generated, generation, printing'],
  ['en', 'received',  'received, receipt, recd, rcvd, rec, reception, registered, registration, regd, ordered, order, requested, request, visit, admission, admitted, accessioned, expiry, appointment, referral, billing, bill, booking, processed, processing'],
  ['es', 'dob',       'nacimiento, nac, nacto, nacido, nacida, nacim'],
  ['es', 'collected', 'toma, tomada, tomado, recoleccion, recolectada, recogida, extraccion, obtencion, extraida, captacion, extraido, extraidas, ext, extr', 'muestra, muestras'],
  ['es', 'reported',  'informado, emision, emitido, emitida, validacion, validado, reportado, liberacion, liberado, entrega, val', 'informe, resultado, resultados, reporte'],
  ['es', 'printed',   'impresion, impreso, impresa'],
  ['es', 'received',  'recepcion, recibido, recibida, ingreso, registro, solicitud, peticion, orden, admision, atencion, entrada, proceso, procesado, procesada, procesamiento'],
  ['fr', 'dob',       'naissance, naiss, ne, nee, nes'],
  ['fr', 'collected', 'preleve, prelevee, preleves, prelevement, prelevements, prelev, prel, prelevt'],
  ['fr', 'reported',  'edite, editee, edition, validation, valide, rendu, rapporte, rapportee, transmis, diffuse, diffusion, emis', 'resultat, resultats, compte rendu, cr, protocole'],
  ['fr', 'printed',   'imprime, impression'],
  ['fr', 'received',  'recu, recue, recus, reception, enregistre, enregistree, enregistrement, demande, dossier, saisie, saisi, prescription, ordonnance, entree'],
  ['de', 'dob',       'geburtsdatum, geb, geboren, geburtstag, gebdatum, gebdat, geburtsdat, geburt'],
  ['de', 'collected', 'entnahme, entnahmedatum, entnahmezeit, entnahmezeitpunkt, entnahmetag, entnahmedat, abnahme, abnahmedatum, abnahmezeit, abnahmezeitpunkt, abnahmetag, blutentnahme, blutabnahme, probenentnahme, probeentnahme, probenentnahmedatum, probenahme, probennahme, materialentnahme, entnommen, abgenommen, entn, abn', 'probendatum, probe, proben, untersuchungsmaterial'],
  ['de', 'reported',  'befunddatum, berichtsdatum, befundausgang, ausgang, ausgangsdatum, freigabe, freigegeben, freigabedatum, validiert, validierung, erstellt, berichtet, befundet, fertiggestellt, rapportiert, befunderstellung, befundfreigabe, ausgegeben, erstelldatum, berichtdatum', 'befund, bericht, endbefund, laborbefund, laborbericht, teilbefund, report, resultat'],
  ['de', 'printed',   'gedruckt, druckdatum, druck, ausgedruckt, ausdruck, befunddruck, druckzeit'],
  ['de', 'received',  'eingang, eingangsdatum, eingegangen, probeneingang, probeneingangsdatum, materialeingang, auftrag, auftragsdatum, auftragseingang, erfasst, eingangszeit, aufnahme, anforderung, registriert'],
  ['it', 'dob',       'nascita, nato, nata, nasc'],
  ['it', 'collected', 'prelievo, prelevato, prelevata, raccolta, prelevati'],
  ['it', 'reported',  'refertazione, refertato, emesso, emissione, validazione, validato, refertato', 'referto'],
  ['it', 'printed',   'stampa, stampato'],
  ['it', 'received',  'accettazione, accettato, accettata, ricevuto, ricezione, arrivo, richiesta, checkin, consegna, ritiro'],
  ['pt', 'dob',       'nascimento, nasc, nascido, nascida, nascto, nac'],
  ['pt', 'collected', 'coleta, colheita, coletado, coletada, coletados, colhido, colhida, recolha', 'amostra'],
  ['pt', 'reported',  'emissao, emitido, liberacao, liberado, liberada, validacao, validado, conclusao, assinado', 'laudo, resultado, relatorio'],
  ['pt', 'printed',   'impressao, impresso'],
  ['pt', 'received',  'recebido, recebimento, recepcao, entrada, cadastro, pedido, requisicao, atendimento, ficha, admissao, registo, inscricao, processamento, processado'],
  ['nl', 'dob',       'geboortedatum, geboren, gebdat, geboorte'],
  ['nl', 'collected', 'afname, afnamedatum, afnametijd, afgenomen, afnametijdstip, bloedafname'],
  ['nl', 'reported',  'rapportdatum, gerapporteerd, uitslagdatum, autorisatie, geautoriseerd, verslagdatum', 'rapport, uitslag, verslag, protocol'],
  ['nl', 'printed',   'geprint, afgedrukt, afdrukdatum, printdatum'],
  ['nl', 'received',  'ontvangen, ontvangst, ontvangstdatum, binnenkomst, aanvraag, aanvraagdatum'],
  ['sv', 'dob',       'fodelsedatum, fodd, fødselsdato, født, fødselsdag, fodselsdato'],
  ['sv', 'collected', 'provtagning, provtagningsdatum, provtagningstid, provtagen, prøvetaking, prøvetakning, prøvetagning, prøvetaget, prøvedato, provdatum, provtagningstidpunkt'],
  ['sv', 'reported',  'svarsdatum, svarstid, besvarad, svardato, svaret, rapportdato, besvaret, utskrivet, svarsdato, godkand'],
  ['sv', 'printed',   'utskrift, utskriven, utskriftsdatum, udskrevet'],
  ['sv', 'received',  'ankomst, ankomstdatum, ankomsttid, mottatt, modtaget, inkom, bestalld'],
  ['pl', 'dob',       'urodzenia, ur, urodzony, urodzona'],
  ['pl', 'collected', 'pobrania, pobranie, pobrano'],
  ['pl', 'reported',  'wydania, wydano, autoryzacji, zatwierdzenia, autoryzowano', 'wyniku, wynik'],
  ['pl', 'printed',   'wydruku'],
  ['pl', 'received',  'przyjecia, przyjeto, rejestracji, zlecenia'],
  ['cs', 'dob',       'narozeni, narozen, narozena'],
  ['cs', 'collected', 'odberu, odber'],
  ['cs', 'reported',  'uvolneni, vydani', 'vysledku'],
  ['tr', 'dob',       'dogum'],
  ['tr', 'collected', 'alma, alım, alim, alınma, alinma, alındıgı', 'numune'],
  ['tr', 'reported',  'onay, onaylanma, raporlama', 'rapor, sonuc'],
  ['tr', 'received',  'kabul, kayıt, kayit, istek, istem, geliş, gelis'],
  ['ro', 'dob',       'nasterii, nascut, nascuta'],
  ['ro', 'collected', 'recoltarii, recoltare, recoltat'],
  ['ro', 'reported',  'eliberarii, eliberare, validarii', 'rezultat, rezultatului, raport'],
  ['ro', 'received',  'primirii, primire, inregistrarii'],
];

/** Words without meaning of their own; those of time make weak words significant. */
const FILLERS = parsePhrases(
  `compte, sample, samples, specimen, specimens, blood, patient, patients, client, local, patienten, probe, proben, muestra, muestras, paciente, echantillon, campione, campioni, paziente, amostra, amostras, material, materiais, materialu, próbki, probki, monster, prøve, prov, provet, numune, sange, sangre, lab, laboratory, labor, laboratorio, laboratoire, exame, examen, exames, probei, pacient, atual, actual, actuel, actuelle, attuale, aktuell, aktuelle, current, complet, completo, completa`,
);
const TIMES = parsePhrases(
  `date, dates, datetime, time, times, hour, hours, hrs, dt, datum, dat, zeit, uhrzeit, tag, zeitpunkt, fecha, fec, fech, f, hora, fh, data, ora, ore, dia, hr, heure, jour, dato, tid, tidspunkt, tijd, uur, czas, godzina, godz, tarih, tarihi, saati, saat`,
);
/** Words that no label begins with, many of them common to several languages. */
const FUNCTION_WORDS = parsePhrases(
  `on, at, of, the, and, for, in, by, s, am, um, vom, von, der, des, y, de, del, la, el, las, los, le, du, l, d, a, au, h, e, di, dell, della, al, il, lo, i, do, da, dos, em, van, as`,
);
const TIME_PREPOSITIONS = parsePhrases(`on, at, am, vom, le, du, del, il, em`);

/** Labels that OCR tends to glue together. */
const GLUED = parsePhrases(
  `date of birth, birth date, date collected, collected on, collection date, sample collected, sample collected on, specimen collected, sample collection date, date of collection, date reported, reported on, report date, date received, received on, fecha de nacimiento, fecha nacimiento, fecha de toma, toma de muestra, fecha toma, fecha de informe, fecha informe, date de naissance, preleve le, edite le, ne le, nee le, geb am, geb datum, abnahme am, befund vom, data di nascita, data nascita, data prelievo, data referto, data de nascimento, data nascimento, data da coleta, data coleta, data de emissao`,
);

interface DateLabelMatch {
  readonly dateKind: HeaderDateKind;
  readonly isWeak: boolean;
  /** Some words exist in several languages with the same meaning; the first one is kept. */
  readonly language: string;
}

const STRONG = new Map<string, DateLabelMatch>();
const WEAK = new Map<string, DateLabelMatch>();
for (const [language, moment, strong, weak = ''] of DATE_WORDS) {
  addWords(STRONG, strong, { dateKind: moment, isWeak: false, language });
  addWords(WEAK, weak, { dateKind: moment, isWeak: true, language });
}
const FIRST_WORDS = new Set([...FILLERS, ...TIMES].map(normalizeWords));
const FILLER = new Set([...FILLERS, ...TIMES, ...FUNCTION_WORDS].map(normalizeWords));
const TIME = new Set([...TIMES, ...TIME_PREPOSITIONS].map(normalizeWords));

const UNGLUED = new Map(GLUED.map((phrase) => [phrase.replaceAll(' ', ''), phrase]));

function addWords(map: Map<string, DateLabelMatch>, list: string, telling: DateLabelMatch): void {
  for (const word of parsePhrases(list))
    if (!map.has(normalizeWords(word))) map.set(normalizeWords(word), telling);
}

/** Whether a date label may begin with this word, in lower case without accents. */
export const canBeginDateLabel = (word: string): boolean =>
  STRONG.has(word) || WEAK.has(word) || FIRST_WORDS.has(word) || UNGLUED.has(word);

/** The kind of date of a label in lower case without accents; undefined if it is not a date label. */
export function matchDateLabel(label: string): DateLabelMatch | undefined {
  let strong: DateLabelMatch | undefined;
  let weak: DateLabelMatch | undefined;
  let hasTime = false;
  const words = (UNGLUED.get(label) ?? label).split(' ');
  if (!canBeginDateLabel(words[0] ?? '')) return undefined;
  for (const word of words) {
    const telling = STRONG.get(word);
    const isFiller = FILLER.has(word);
    hasTime ||= TIME.has(word);
    if (telling && strong && strong.dateKind !== telling.dateKind) return undefined;
    if (telling) strong ??= telling;
    else if (WEAK.has(word)) weak = WEAK.get(word);
    else if (!isFiller) return undefined;
  }
  if (strong?.dateKind === 'dob' && weak) return undefined;
  if (strong) return strong;
  return weak && (hasTime ? { ...weak, isWeak: false } : weak);
}
