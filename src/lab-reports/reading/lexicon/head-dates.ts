import { bare, phrases } from '../plain.ts';

/** Of which moment a label of the head speaks. */
export type Moment = 'dob' | 'collected' | 'reported' | 'printed' | 'received';

/**
 * Words of which labels of dates are made, by language: "Date/Time of Sample Collection" has one that tells, and fillers.
 * Words in `weak` tell only beside a filler of time, and where no other word does: "Report date", not "Report".
 */
// prettier-ignore
const TELLING: readonly (readonly [language: string, moment: Moment, strong: string, weak?: string])[] = [
  ['en', 'dob',       'dob, birth, birthdate, birthday, born, birthdt'],
  ['en', 'collected', 'collected, collection, coll, drawn, draw, sampled, sampling, obtained, taken, venipuncture, extracted, extraction', 'sample, specimen, service'],
  ['en', 'reported',  'reported, reporting, released, release, resulted, signed, certified, created, signoff, updated, authorised, authorized, validated, validation, approved, finalised, finalized, finaled, issued, issue, completed, completion, verified, out, rptd, authorisation, authentication, authenticated', 'report, result, results, final, rep, rpt, res'],
  ['en', 'printed',   'printed, print, printout, generated, generation, printing'],
  ['en', 'received',  'received, receipt, recd, rcvd, rec, reception, registered, registration, regd, ordered, order, requested, request, visit, admission, admitted, accessioned, expiry, appointment, referral, billing, bill, booking'],
  ['es', 'dob',       'nacimiento, nac, nacto, nacido, nacida, nacim'],
  ['es', 'collected', 'toma, tomada, tomado, recoleccion, recolectada, recogida, extraccion, obtencion, extraida, captacion, extraido, extraidas, ext, extr', 'muestra, muestras'],
  ['es', 'reported',  'informado, emision, emitido, emitida, validacion, validado, reportado, liberacion, liberado, entrega, val', 'informe, resultado, resultados, reporte'],
  ['es', 'printed',   'impresion, impreso, impresa'],
  ['es', 'received',  'recepcion, recibido, recibida, ingreso, registro, solicitud, peticion, orden, admision, atencion, entrada'],
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
  ['pt', 'received',  'recebido, recebimento, recepcao, entrada, cadastro, pedido, requisicao, atendimento, ficha, admissao, registo, inscricao'],
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

/** Words that say nothing by themselves; those of time make weak words tell. */
const FILLERS = phrases(
  `compte, sample, samples, specimen, specimens, blood, patient, patients, client, local, patienten, probe, proben, muestra, muestras, paciente, echantillon, campione, campioni, paziente, amostra, amostras, material, materiais, materialu, próbki, probki, monster, prøve, prov, provet, numune, sange, sangre, lab, laboratory, labor, laboratorio, laboratoire, exame, examen, exames, probei, pacient, atual, actual, actuel, actuelle, attuale, aktuell, aktuelle, current, complet, completo, completa`,
);
const TIMES = phrases(
  `date, dates, datetime, time, times, hour, hours, hrs, dt, datum, dat, zeit, uhrzeit, tag, zeitpunkt, fecha, fec, fech, f, hora, fh, data, ora, ore, dia, hr, heure, jour, dato, tid, tidspunkt, tijd, uur, czas, godzina, godz, tarih, tarihi, saati, saat`,
);
/** Words that no label begins with; most families have some of them in their names. */
const SMALL = phrases(
  `on, at, of, the, and, for, in, by, s, am, um, vom, von, der, des, y, de, del, la, el, las, los, le, du, l, d, a, au, h, e, di, dell, della, al, il, lo, i, do, da, dos, em, van, as`,
);
const SMALL_OF_TIME = phrases(`on, at, am, vom, le, du, del, il, em`);

/** Labels that a reading of a picture is apt to glue together. */
const GLUED = phrases(
  `date of birth, birth date, date collected, collected on, collection date, sample collected, sample collected on, specimen collected, sample collection date, date of collection, date reported, reported on, report date, date received, received on, fecha de nacimiento, fecha nacimiento, fecha de toma, toma de muestra, fecha toma, fecha de informe, fecha informe, date de naissance, preleve le, edite le, ne le, nee le, geb am, geb datum, abnahme am, befund vom, data di nascita, data nascita, data prelievo, data referto, data de nascimento, data nascimento, data da coleta, data coleta, data de emissao`,
);

interface Telling {
  readonly moment: Moment;
  readonly isWeak: boolean;
  /** Several languages have some words, with the same meaning each. */
  readonly language: string;
}

const STRONG = new Map<string, Telling>();
const WEAK = new Map<string, Telling>();
for (const [language, moment, strong, weak = ''] of TELLING) {
  note(STRONG, strong, { moment, isWeak: false, language });
  note(WEAK, weak, { moment, isWeak: true, language });
}
const BEGINNING = new Set([...FILLERS, ...TIMES].map(bare));
const FILLER = new Set([...FILLERS, ...TIMES, ...SMALL].map(bare));
const TIME = new Set([...TIMES, ...SMALL_OF_TIME].map(bare));

const UNGLUED = new Map(GLUED.map((phrase) => [phrase.replaceAll(' ', ''), phrase]));

function note(map: Map<string, Telling>, list: string, telling: Telling): void {
  for (const word of phrases(list)) if (!map.has(bare(word))) map.set(bare(word), telling);
}

/** Whether a label of a date may begin with this word, small and without accents. */
export const mayBeginDateLabel = (word: string): boolean =>
  STRONG.has(word) || WEAK.has(word) || BEGINNING.has(word) || UNGLUED.has(word);

/** What a label of small words without accents speaks of; undefined where it is none of a date. */
export function momentOf(label: string): Telling | undefined {
  let strong: Telling | undefined;
  let weak: Telling | undefined;
  let hasTime = false;
  const words = (UNGLUED.get(label) ?? label).split(' ');
  if (!mayBeginDateLabel(words[0] ?? '')) return undefined;
  for (const word of words) {
    const telling = STRONG.get(word);
    const isFiller = FILLER.has(word);
    hasTime ||= TIME.has(word);
    if (telling && strong && strong.moment !== telling.moment) return undefined;
    if (telling) strong ??= telling;
    else if (WEAK.has(word)) weak = WEAK.get(word);
    else if (!isFiller) return undefined;
  }
  if (strong?.moment === 'dob' && weak) return undefined;
  if (strong) return strong;
  return weak && (hasTime ? { ...weak, isWeak: false } : weak);
}
