import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readAbuse } from '../src/abuse.ts';
import { isHeavy, readCrisis, tellsToDie, type CrisisReading } from '../src/crisis.ts';
import { work } from '../src/fold.ts';
import { findPeople } from '../src/people.ts';
import { tellsReadersToDie } from '../src/readers.ts';
import { growthOf, hostileTexts } from '../../testkit/growth.ts';
import { filesNamed, readLabelled, readTexts, type Labelled } from './sets.ts';

/** Shares that a set must reach (recall, precision) or may not exceed (idioms, gap). */
interface Bars {
  readonly level3: number;
  readonly level2: number;
  readonly precision: number;
  readonly idioms: number;
  /** Between the recall of two languages, from level 2 on. */
  readonly gap: number;
}
/** For the sets that phrases and weights come from. What unseen sentences reach, `npm run train:crisis -- --validate` prints. */
const targets: Bars = { level3: 0.95, level2: 0.9, precision: 0.9, idioms: 0.05, gap: 0.06 };
/** Full of indirect wording and hard idioms: the word model that finds it does not learn each of its sentences by heart. */
const indirect: Bars = { ...targets, level3: 0.83, level2: 0.85, idioms: 0.15, gap: 0.15 };
const tuned: Readonly<Record<string, Bars>> = {
  'crisis-given.tsv': targets,
  'crisis-dev.tsv': targets,
  'crisis-dev2.tsv': indirect,
  'crisis-dev3.tsv': indirect,
  'crisis-dev4.tsv': indirect,
  'crisis-dev5.tsv': indirect,
  'crisis-dev6.tsv': indirect,
  'crisis-dev7.tsv': indirect,
};
/** For sets that others wrote and nobody tunes on: below what was measured when they came, so that a loss shows. */
const heldOut: Bars = { level3: 0.8, level2: 0.85, precision: 0.85, idioms: 0.05, gap: 0.1 };
/** Refused without appeal, so precision counts. */
const tellsPrecision = 0.95;
const tellsTuned: Readonly<Record<string, { readonly precision: number; readonly recall: number }>> = {
  'tells-to-die-dev.tsv': { precision: 0.97, recall: 0.9 },
  'tells-to-die-dev2.tsv': { precision: 0.97, recall: 0.58 },
  'tells-to-die-dev3.tsv': { precision: 0.97, recall: 0.5 },
  'tells-to-die-dev4.tsv': { precision: 0.97, recall: 0.6 },
};
const ordinaryShown = 0.08;

const isVerbose = process.env.GUARD_VERBOSE === '1';
const share = (part: number, whole: number) => (whole === 0 ? Number.NaN : part / whole);
const shown = (value: number) => (Number.isNaN(value) ? '   –' : value.toFixed(2).padStart(4));

interface Read extends Labelled {
  readonly reading: CrisisReading;
}

function measure(rows: readonly Read[]) {
  const labelled = (...labels: string[]) => rows.filter(({ label }) => labels.includes(label));
  const recall = (labels: string[], level: number) => {
    const wanted = labelled(...labels);
    return share(wanted.filter(({ reading }) => reading.level >= level).length, wanted.length);
  };
  const cards = rows.filter(({ label, reading }) => label !== 'a' && reading.level > 0);
  const idioms = rows.filter(({ label, kind }) => label === '0' && kind.includes('idiom'));
  const ofOthers = labelled('o');
  return {
    count: rows.length,
    level3: recall(['3'], 3),
    level2: recall(['2', '3'], 2),
    level1: recall(['1', '2', '3'], 1),
    others: share(
      ofOthers.filter(({ reading }) => reading.isAboutSomeoneElse && reading.level === 1).length,
      ofOthers.length,
    ),
    precision: share(cards.filter(({ label }) => label !== '0').length, cards.length),
    idioms: share(idioms.filter(({ reading }) => reading.level > 0).length, idioms.length),
  };
}

describe('the reading of a crisis', () => {
  test.each(filesNamed('crisis-'))('reaches its recall and precision on %s', (file) => {
    const rows = readLabelled(file).map((row) => ({ ...row, reading: readCrisis(row.text) }));
    const all = measure(rows);
    const byLanguage = [...Map.groupBy(rows, ({ language }) => language)].map(
      ([language, some]) => [language, measure(some)] as const,
    );
    const lines = [...byLanguage, ['all', all] as const].map(
      ([name, { count, level3, level2, level1, others, precision, idioms }]) =>
        `${name.padEnd(5)}${String(count).padStart(4)}  recall 3 ${shown(level3)}  2+ ${shown(level2)}  1+ ${shown(level1)}  other ${shown(others)}  precision ${shown(precision)}  idioms flagged ${shown(idioms)}`,
    );
    const confusions = rows
      .map((row) => ({
        ...row,
        got: row.reading.isAboutSomeoneElse ? 'o' : String(row.reading.level),
      }))
      .filter(({ label, got }) => label !== 'a' && label !== got)
      .map(({ language, label, got, text }) => `  ${language} labelled ${label}, read ${got}: ${text}`);
    console.log([file, ...lines, ...(isVerbose ? confusions : [])].join('\n'));

    const bars = tuned[file] ?? heldOut;
    const recalls = byLanguage
      // A few lines of Bhojpuri or Awadhi say little.
      .filter(([, { count }]) => count > 40)
      .map(([, { level2 }]) => level2)
      .filter((value) => !Number.isNaN(value));
    const reached = {
      level3: Number.isNaN(all.level3) || all.level3 >= bars.level3,
      level2: Number.isNaN(all.level2) || all.level2 >= bars.level2,
      precision: Number.isNaN(all.precision) || all.precision >= bars.precision,
      idioms: Number.isNaN(all.idioms) || all.idioms <= bars.idioms,
      gap: recalls.length === 0 || Math.max(...recalls) - Math.min(...recalls) <= bars.gap,
    };
    expect(reached).toEqual({ level3: true, level2: true, precision: true, idioms: true, gap: true });
  });

  test('shows the card on few ordinary texts', () => {
    const texts = filesNamed('ordinary-').flatMap(readTexts);
    const ordinary = filesNamed('crisis-').flatMap((file) =>
      readLabelled(file)
        .filter(({ label, kind }) => label === '0' && !kind.includes('idiom'))
        .map(({ text }) => text),
    );
    for (const [name, some] of [
      ['ordinary-*.tsv', texts],
      ['label 0 of crisis-*.tsv', ordinary],
    ] as const) {
      const withCard = some.filter((text) => readCrisis(text).level > 0);
      console.log(
        `${name}: card on ${withCard.length} of ${some.length}`,
        isVerbose ? withCard.join('\n  ') : '',
      );
      if (some.length > 0) expect(withCard.length / some.length).toBeLessThanOrEqual(ordinaryShown);
    }
  });

  test('finds the worst part of a long text', () => {
    const rows = ['crisis-dev2.tsv', 'crisis-dev3.tsv', 'crisis-dev4.tsv'].flatMap(readLabelled);
    const ordinary = rows
      .filter(({ kind, text }) => kind === 'ordinary' && readCrisis(text).level === 0)
      .map(({ text }) => text);
    const around = (at: number, text: string) =>
      [0, 1, 2, 3]
        .map((nth) => ordinary[(at * 7 + nth * 13) % ordinary.length])
        .toSpliced(2, 0, text)
        .join('.\n');
    const meant = rows.filter(({ label }) => ['1', '2', '3'].includes(label));
    const found = meant.filter(({ text }, at) => readCrisis(around(at, text)).level > 0);
    console.log(`between four ordinary texts: card on ${found.length} of ${meant.length}`);
    expect(found.length / meant.length).toBeGreaterThan(0.7);
  });

  test.each([
    ['I want to die tonight. I have the tablets in front of me.', 3],
    ['आज रात मैं मर जाऊँगी। गोलियाँ मेरे सामने हैं।', 3],
    ['aaj raat mar jaungi. goliyan mere saamne hai', 3],
    // Of another sentence: an idiom, a friend, good news.
    ['My boss is killing me lol 😂. I want to kill myself.', 2],
    ['My friend got engaged. He is so happy. We danced. I want to die.', 2],
    ['haste haste mar gaya yaar 😂. par sach me ab jeena nahi chahta main', 2],
    ['मेरी दोस्त की शादी थी। सब ख़ुश थे। मैं मर जाना चाहती हूँ।', 2],
    // Good or past things beside a wish of today do not lessen it.
    ["Everyone thinks I'm fine today but I want to kill myself", 2],
    ['Two years ago my father died and now I want to die', 2],
    ['do saal pehle papa guzre, ab main mar jana chahti hu', 2],
    ['I used to want to die. I am so glad I stayed.', 0],
    // The same words, in jest or denied.
    ['This exam will kill me 😂', 0],
    ["I don't want to die. I want to sleep.", 0],
    ['', 0],
  ] as const)('judges by sentence: %s', (text, level) => {
    expect(readCrisis(text)).toEqual({ level, isAboutSomeoneElse: false });
  });

  test.each(['my friend wants to die', 'mera bhai suicide kar lega', 'मेरी बहन मरना चाहती है'])(
    'tells that somebody else is meant, at level 1: %s',
    (text) => expect(readCrisis(text)).toEqual({ level: 1, isAboutSomeoneElse: true }),
  );

  test('is the same for every way of writing the same words', () => {
    const same = [
      ['khudkushi karna chahta hu', 'KHUDKUSHI krna chahti hoon', 'ख़ुदकुशी करना चाहता हूँ', 'खुदकुशी करना चाहती हूं'],
      ['I want to kill myself', 'i waaant to k!ll my­self', 'Ｉ want to kïll myself', 'i want to k*ll myself'],
      ['mujhe jeena nahi hai', 'muje jina nhi h', 'मुझे जीना नहीं है'],
    ];
    for (const texts of same) expect(texts.map((text) => readCrisis(text).level)).toEqual(texts.map(() => 2));
  });

  test('does not throw, and gives the same answer twice, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(readCrisis(text)).toEqual(readCrisis(text));
        expect(tellsToDie(text)).toBe(tellsToDie(text));
        expect(readAbuse(text)).toBe(readAbuse(text));
        expect(tellsReadersToDie(text)).toBe(tellsReadersToDie(text));
        expect(findPeople(text)).toEqual(findPeople(text));
      }),
    );
  });
});

describe('the refusal of a comment that tells somebody to die', () => {
  test.each(filesNamed('tells-to-die-'))('is precise on %s', (file) => {
    const rows = readLabelled(file).map((row) => ({ ...row, isRefused: tellsToDie(row.text) }));
    const isMeant = (label: string) => !['0', 'no', 'n', 'false'].includes(label);
    const refused = rows.filter(({ isRefused }) => isRefused);
    const meant = rows.filter(({ label }) => isMeant(label));
    const right = refused.filter(({ label }) => isMeant(label));
    const precision = share(right.length, refused.length);
    const recall = share(right.length, meant.length);
    const wrong = rows
      .filter(({ label, isRefused }) => isMeant(label) !== isRefused)
      .map(({ isRefused, text }) => `  ${isRefused ? 'refused' : 'passed'}: ${text}`);
    console.log(
      [
        `${file}: precision ${shown(precision)} (${right.length} of ${refused.length}), recall ${shown(recall)}`,
        ...(isVerbose ? wrong : []),
      ].join('\n'),
    );
    expect(refused.length).toBeGreaterThan(0);
    const bars = tellsTuned[file] ?? { precision: tellsPrecision, recall: 0 };
    expect(precision).toBeGreaterThanOrEqual(bars.precision);
    expect(recall).toBeGreaterThanOrEqual(bars.recall);
  });

  test('passes what people say of themselves', () => {
    const own = filesNamed('crisis-').flatMap((file) =>
      readLabelled(file).filter(({ label }) => label !== 'a'),
    );
    expect(own.filter(({ text }) => tellsToDie(text))).toEqual([]);
  });
});

describe('the work of a scan', () => {
  const scans = [readCrisis, tellsToDie, readAbuse, tellsReadersToDie, isHeavy, findPeople];
  test.each(Object.entries(hostileTexts))('grows with the length of the text, not faster: %s', (_, part) => {
    for (const scan of scans) {
      const growth = growthOf(scan, work, part);
      expect(growth).toBeGreaterThan(1.5);
      expect(growth).toBeLessThanOrEqual(2.5);
    }
  });
});

test.each(['suicide', 'suicide kota', 'आत्महत्या', 'खुदकुशी', 'khudkushi'])(
  'a search for %s gets the card',
  (query) => expect(readCrisis(query)).toEqual({ level: 2, isAboutSomeoneElse: false }),
);
test.each(['suicide squad', 'exams', 'suicide prevention'])('a search for %s gets none', (query) =>
  expect(readCrisis(query).level).toBe(0),
);
