import { readAbuse } from '../src/abuse.ts';
import { isHeavy, readCrisis } from '../src/crisis.ts';
import { findIdentity } from '../src/identity.ts';
import { findPeople } from '../src/people.ts';
import { tellsReadersToDie } from '../src/readers.ts';
import { readWritten, type Half, type Written } from './sets.ts';

/** What is counted on guard/test/sets, and the least or most that is wanted. */
export interface Figure {
  readonly name: string;
  readonly count: number;
  readonly of: number;
  readonly wanted: { readonly least: number } | { readonly most: number };
}

const isOwn = ({ text }: Written) => {
  const { level, isAboutSomeoneElse } = readCrisis(text);
  return level > 0 && !isAboutSomeoneElse;
};
const isOther = ({ text }: Written) => readCrisis(text).isAboutSomeoneElse;
const isLoud = ({ text }: Written) => readCrisis(text).level > 1 || readCrisis(text).isAboutSomeoneElse;
const isQuiet = (row: Written) => !isLoud(row) && (isOwn(row) || readAbuse(row.text) !== null);
const isAbuse = ({ text }: Written) => readAbuse(text) !== null;
const isChild = ({ text }: Written) => readAbuse(text) === 'child';
const isNoted = ({ text }: Written) => findPeople(text).length > 0 || findIdentity(text).length > 0;
const isRefused = ({ text }: Written) => tellsReadersToDie(text);
const isFolded = ({ text }: Written) => isHeavy(text);

export function measure(half: Half): Figure[] {
  const rows = (set: string, label?: string) =>
    readWritten(set).filter((row) => row.half === half && (label === undefined || row.label === label));
  const figure = (
    name: string,
    some: readonly Written[],
    test: (row: Written) => boolean,
    wanted: Figure['wanted'],
  ): Figure => ({ name, count: some.filter(test).length, of: some.length, wanted });
  return [
    figure('own distress read as own', rows('own'), isOwn, { least: 0.9 }),
    figure('own, addressing a relative, read as somebody else’s', rows('own', 'addressed'), isOther, {
      most: 0,
    }),
    figure(
      'own, Bhojpuri or Awadhi, read as own',
      [...rows('own', 'bhojpuri'), ...rows('own', 'awadhi')],
      isOwn,
      { least: 0.6 },
    ),
    figure('about others, read as such', rows('others'), isOther, { least: 0.8 }),
    figure('abuse, own and now', rows('abuse', 'own-now'), isAbuse, { least: 0.8 }),
    figure('abuse, own and past', rows('abuse', 'own-past'), isAbuse, { least: 0.8 }),
    figure('abuse of a child, read as such', rows('abuse', 'child'), isChild, { least: 0.85 }),
    figure('abuse of others', rows('abuse', 'others'), isAbuse, { least: 0.8 }),
    figure('harmless with a loud card', rows('harmless'), isLoud, { most: 0.05 }),
    figure('harmless with a quiet card', rows('harmless'), isQuiet, { most: 0.08 }),
    figure('identifying, noted', rows('identifying'), isNoted, { least: 0.75 }),
    figure('unidentifying, noted', rows('unidentifying'), isNoted, { most: 0.04 }),
    figure('telling readers to die, refused', rows('telling'), isRefused, { least: 0.9 }),
    figure('quoting it, refused', rows('quoting'), isRefused, { most: 0.05 }),
    figure('saying it to oneself, refused', rows('selftalk'), isRefused, { most: 0.05 }),
    figure('own distress, refused', rows('own'), isRefused, { most: 0 }),
    figure('harmless, past or recovery, folded', [...rows('harmless'), ...rows('past')], isFolded, {
      most: 1 / 125,
    }),
  ];
}

export const isReached = ({ count, of, wanted }: Figure): boolean =>
  'least' in wanted ? count / of >= wanted.least : count / of <= wanted.most;

/** Wilson's interval of a share, 95 %. */
export function intervalOf(count: number, of: number): readonly [number, number] {
  const z = 1.96;
  const share = count / of;
  const middle = share + z ** 2 / (2 * of);
  const spread = z * Math.sqrt((share * (1 - share)) / of + z ** 2 / (4 * of ** 2));
  const scale = 1 + z ** 2 / of;
  return [Math.max(0, (middle - spread) / scale), Math.min(1, (middle + spread) / scale)];
}
