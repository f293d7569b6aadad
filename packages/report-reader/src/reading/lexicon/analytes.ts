import { normalizeText, parsePhrases } from '../text-normalization.ts';

/**
 * Word stems of analyte names in six languages. They only raise the score of a possible result; no result needs one.
 */
const STEMS = `gluc, gluk, glyc, glic, glik, blutzucker, sugar, chol, colest, kolest, triglyc, triglic, trigliz, hdl, ldl, vldl, lipoprot, apolip, lipid, lp(a),
  hemog, haemog, hamoglob, hemat, haemat, hamatok, hgb, hct, hb, hba1c, a1c, ery, erit, erythr, rbc, wbc, hto, htc, hkt, leuk, leuc, leuco, globuli, globules, hematies, rdw, mcv, mch, mchc, mpv, vcm, hcm, chcm, vgm, ccmh, tgmh, ccmh, mcv, pdw, pct, plcr, p-lcr,
  platel, plaq, plaqu, piastr, thromb, tromb, plt, neutro, lympho, lympho, linfo, limfo, lymph, mono, eosin, eosino, baso, granuloc, retic, segment, stab, bast, blast, band, promyel, metamyel, myelo, ig, nrbc, anc, aec, alc, esr, vsg, vhs, ves, bsg, bks, sedim, velocid, eritrosed,
  urea, uree, harnst, bun, creat, crea, kreat, egfr, gfr, tfg, dfg, filtrad, clear, uric, urico, urique, harnsaure, acido uri, sodium, sodio, natrium, na, potas, kalium, k, chlor, chlori, cloro, cloruro, cl, co2, bicarb, hco3, anion, calci, calz, kalz, ca, phosph, fosf, fosfa, phos, magnes, mg, zinc, zink, copper, cobre, kupfer, cuivre, rame, selen, lead, plomo, blei, iron, hierro, eisen, fer, ferro, ferr, sider, tibc, uibc, transf, satur, ferrit,
  bilir, ast, alt, alat, asat, sgot, sgpt, got, gpt, tgo, tgp, ggt, gamma, y-gt, g-gt, phosphat, alkal, alp, fosfatas, fal, ap, ldh, cpk, ck, amyl, amil, lipas, aldol, protein, prot, eiweiss, albu, glob, a/g, ammon, lact, troponin, bnp, nt-pro, myoglob, cholin, homocyst, homocist, cystat,
  tsh, t3, t4, ft3, ft4, thyro, thyre, tiro, tire, trijod, triiod, schilddr, tpo, trab, calciton, prolac, cortis, kortis, testost, estra, oestra, ostra, estro, progest, lh, fsh, hcg, bhcg, beta hcg, shbg, dhea, androst, aldost, renin, acth, gh, igf, insulin, c-pept, peptid, homa, pth, parath, vitam, vit, folat, folic, folico, folsaure, acido fol, b12, cobal, 25-oh, 25(oh), 25-hydro, 25 hydro, 25 oh, d3, d2, methylmal, omega,
  crp, pcr, hs-crp, hscrp, c-react, reactiv c, protein c, rheum, reuma, rf, factor reum, aso, aslo, asto, anti, ana, ena, ccp, dsdna, complement, complem, c3, c4, immunog, inmunog, iga, igg, igm, ige, kappa, lambda, psa, cea, afp, ca , ca-, ca1, ca12, ca19, he4, alpha, alfa, tumor,
  inr, rin, pt, ptt, aptt, quick, prothr, protrom, thrombopl, tromboplas, fibrin, d-dim, dimer, dimero, antithrom, tp, tca, tcpa, ttpa, bleeding, clotting, coag, factor,
  color, colour, couleur, farbe, colore, cor, aspect, appear, aspetto, aussehen, clarity, turbid, trub, specific, density, densid, densit, dichte, gravity, peso, ph, keton, ceton, aceton, acetona, corps cet, corpi chet, cuerpos, corpos, chetoni, nitrit, urobil, occult, blood, sang, blut, sangue, esteras, leukocyte, epithel, epitel, casts, cast, cilind, zylind, crystal, crist, kristall, bacter, bakter, batter, mucus, muco, moco, muc, yeast, hefe, levadura, lieviti, leved, parasit, trichom, sperm, hyaline, pus, urate, oxalat, squamous, transitional,
  hiv, hbs, hep, hcv, hbv, hav, syphil, sifil, rpr, vdrl, treponem, tpha, rubel, cmv, cytomeg, toxop, ebv, epstein, herpes, hsv, chlamyd, gonorr, covid, sars, influ, rsv, strep, dengue, malaria, widal, typhi, brucel, helicob, h. pylori, borrel, quantif, mantoux, tb, ns1,
  abo, rh, rhesus, blood group, coombs, antibod, antikorp, anticorps, anticuerp, anticorp, cd4, cd3, cd8, cell, methyl, drug, ethanol, digox, lithium, litio, valpro, vancom, tacro, carbam, phenyt, theoph, ige, calprotect, elast, fecal, stool, osmol, microalb, mikroalb, acr, ratio, index, indice, cociente, rapport, quotient, nti, non-hdl, non hdl, no-hdl, ndl, egdl, eag, average glu, mean, volume, wid, width, count, total, conteo, recuento, numer, number, count, absol, hypochrom, anisoc, microcy, macrocyt, poikil, polychrom, morpho, ceruloplas, haptoglob, prealb, copept, procalc, interleuk, il-6, adiponect, leptin, oxld, mpo, germ, germen, organism, isolat, aislad, keim, erreger, cultur, kultur, cultivo, urocult, urokult, hemocult, coprocult, smear, frotis, swab, hisopado, abstrich, candida, virus, antigen, consisten, arsen, mercur, quecksil, cadm, alum, chrom, mangan, iod, yod, jod, coenz, carnit, amino, methion, tyros, gliad, transglut, endomys, casein, toxin, salmonel, shigel, campylob, yersin, vibrio, adenovir, rotavir, norovir, astrovir, sapovir, cryptospor, giardia, entamoeb, cyclospor`;

const STEM_LIST = parsePhrases(STEMS).map(normalizeText);
const SHORT_STEMS = new Set(STEM_LIST.filter((stem) => stem.length <= 3));
const LONG_STEMS = STEM_LIST.filter((stem) => stem.length > 3);

/** Whether a word of a name matches an analyte stem. Stems of up to three letters must match the whole word. */
export function hasAnalyteWord(name: string): boolean {
  const text = normalizeText(name).replaceAll(/(?<=\b\p{L})\.(?=\p{L}\b)/gu, '');
  const words = text.split(/[^\p{L}\p{N}-]+/u).filter((word) => word !== '');
  return words.some(
    (word) =>
      SHORT_STEMS.has(word) ||
      SHORT_STEMS.has(word.replaceAll('-', '')) ||
      SHORT_STEMS.has(word.split('-')[0] ?? '') ||
      LONG_STEMS.some((stem) => word.startsWith(stem)),
  );
}

/** Names of single letters and finding words, word by word. */
const FIXED_NAMES: readonly (readonly RegExp[])[] = [
  [/^prote[ií]n[ae]?$|^prot[eé]ine$/iu, /^c$/i, /^r[eé]a[ck]?tt?i[vf][aeo]?\p{P}*$/iu],
  [/^c$/i, /^reactive$/i, /^protein\p{P}*$/iu],
  [/^a$/i, /^:$/, /^g$/i, /^(?:ratio|verh[äa]ltnis|quotient)\p{P}*$/iu],
];

/**
 * "PROTEINA C REACTIVA" in six languages, and "A : G Ratio": their letters are not flags or units, and their last word
 * is not a result. How many words from here on are such a name; 0 for none.
 */
export const fixedNameLength = (texts: readonly string[], at: number): number =>
  FIXED_NAMES.find((words) => words.every((word, index) => word.test(texts[at + index] ?? '')))?.length ?? 0;
